/*
 * 12 steps style: 2D Burgers' equation, row pointers.
 */
#include <stdio.h>
#include <stdlib.h>

double **newmatrix(int rows, int cols)
{
    double **m = (double **)malloc(rows * sizeof(double *));

    for (int i = 0; i < rows; i++) {
        m[i] = (double *)malloc(cols * sizeof(double));
        for (int j = 0; j < cols; j++)
            m[i][j] = 1.0;
    }
    return m;
}

void deletematrix(double **m, int rows)
{
    for (int i = 0; i < rows; i++)
        free(m[i]);
    free(m);
}

int main(int argc, char *argv[])
{
    int nx = argc > 1 ? atoi(argv[1]) : 41;
    int ny = nx;
    int nt = argc > 2 ? atoi(argv[2]) : 120;
    double dx = 2.0 / (nx - 1), dy = 2.0 / (ny - 1);
    double sigma = 0.0009, nu = 0.01;
    double dt = sigma * dx * dy / nu;

    double **u = newmatrix(ny, nx), **v = newmatrix(ny, nx);
    double **un = newmatrix(ny, nx), **vn = newmatrix(ny, nx);

    // hat function
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++)
            if (j * dy >= 0.5 && j * dy <= 1.0 && i * dx >= 0.5 && i * dx <= 1.0) {
                u[j][i] = 2.0;
                v[j][i] = 2.0;
            }

    for (int n = 0; n < nt; n++) {
        for (int j = 0; j < ny; j++)
            for (int i = 0; i < nx; i++) {
                un[j][i] = u[j][i];
                vn[j][i] = v[j][i];
            }

        for (int j = 1; j < ny - 1; j++)
            for (int i = 1; i < nx - 1; i++) {
                u[j][i] = un[j][i]
                    - dt / dx * un[j][i] * (un[j][i] - un[j][i-1])
                    - dt / dy * vn[j][i] * (un[j][i] - un[j-1][i])
                    + nu * dt / (dx * dx) * (un[j][i+1] - 2 * un[j][i] + un[j][i-1])
                    + nu * dt / (dy * dy) * (un[j+1][i] - 2 * un[j][i] + un[j-1][i]);
                v[j][i] = vn[j][i]
                    - dt / dx * un[j][i] * (vn[j][i] - vn[j][i-1])
                    - dt / dy * vn[j][i] * (vn[j][i] - vn[j-1][i])
                    + nu * dt / (dx * dx) * (vn[j][i+1] - 2 * vn[j][i] + vn[j][i-1])
                    + nu * dt / (dy * dy) * (vn[j+1][i] - 2 * vn[j][i] + vn[j-1][i]);
            }

        // boundary conditions
        for (int i = 0; i < nx; i++)
            u[0][i] = u[ny-1][i] = v[0][i] = v[ny-1][i] = 1.0;
        for (int j = 0; j < ny; j++)
            u[j][0] = u[j][nx-1] = v[j][0] = v[j][nx-1] = 1.0;
    }

    double su = 0.0, sv = 0.0;
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++) {
            su += u[j][i] * (i + 1);
            sv += v[j][i] * (j + 1);
        }
    printf("%.14e %.14e\n", su, sv);
    printf("%.14e\n", u[ny/2][nx/2]);

    deletematrix(u, ny);
    deletematrix(v, ny);
    deletematrix(un, ny);
    deletematrix(vn, ny);
    return 0;
}
