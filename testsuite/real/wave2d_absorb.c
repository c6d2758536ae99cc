/* 2D wave equation with absorbing sides, row pointers into one block, three-way rotation. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double **grid_new(int nx, int ny)
{
    double **g = malloc(nx * sizeof(double *));
    double *data = malloc((size_t)nx * ny * sizeof(double));

    if (!g || !data) {
        fprintf(stderr, "grid_new: out of memory\n");
        exit(EXIT_FAILURE);
    }
    for (int i = 0; i < nx; i++) {
        g[i] = data + (size_t)i * ny;
        for (int j = 0; j < ny; j++)
            g[i][j] = 0.0;
    }
    return g;
}

static void grid_delete(double **g)
{
    free(g[0]);
    free(g);
}

static void inside(double **um, double **u, double **up, int nx, int ny, double c2)
{
    for (int i = 1; i < nx - 1; i++)
        for (int j = 1; j < ny - 1; j++)
            up[i][j] = 2.0 * u[i][j] - um[i][j]
                + c2 * (u[i + 1][j] + u[i - 1][j] + u[i][j + 1] + u[i][j - 1] - 4.0 * u[i][j]);
}

static void sides(double **u, double **up, int nx, int ny, double c)
{
    double k = (c - 1.0) / (c + 1.0);

    for (int j = 1; j < ny - 1; j++) {
        up[0][j] = u[1][j] + k * (up[1][j] - u[0][j]);
        up[nx - 1][j] = u[nx - 2][j] + k * (up[nx - 2][j] - u[nx - 1][j]);
    }
    for (int i = 1; i < nx - 1; i++) {
        up[i][0] = u[i][1] + k * (up[i][1] - u[i][0]);
        up[i][ny - 1] = u[i][ny - 2] + k * (up[i][ny - 2] - u[i][ny - 1]);
    }
}

int main(int argc, char *argv[])
{
    int nx = argc > 1 ? atoi(argv[1]) : 64;
    int ny = argc > 2 ? atoi(argv[2]) : 48;
    int nt = argc > 3 ? atoi(argv[3]) : 90;
    double c = 0.5;
    double **um = grid_new(nx, ny), **u = grid_new(nx, ny), **up = grid_new(nx, ny);

    for (int i = 1; i < nx - 1; i++)
        for (int j = 1; j < ny - 1; j++) {
            double r2 = pow(i - nx / 3.0, 2) + pow(j - ny / 2.0, 2);
            u[i][j] = um[i][j] = exp(-r2 / 12.0);
        }

    for (int n = 0; n < nt; n++) {
        inside(um, u, up, nx, ny, c * c);
        sides(u, up, nx, ny, c);
        double **t = um;
        um = u;
        u = up;
        up = t;
        if (n == nt / 2)
            printf("half way: %.12e\n", u[nx / 2][ny / 2]);
    }

    double e = 0;
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < ny; j++)
            e += u[i][j] * u[i][j];
    printf("end: %.12e, sum of squares %.12e\n", u[nx / 2][ny / 2], e);
    grid_delete(um);
    grid_delete(u);
    grid_delete(up);
    return 0;
}
