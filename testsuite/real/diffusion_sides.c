/* Diffusion with a function for each side; the header of the time loop counts the time, too. */
#include <stdio.h>
#include <stdlib.h>
#include <stdbool.h>

static int NI = 44, NJ = 52;

static void bc_left(double **c) { for (int j = 0; j <= NJ + 1; j++) c[0][j] = c[1][j]; }
static void bc_right(double **c) { for (int j = 0; j <= NJ + 1; j++) c[NI + 1][j] = c[NI][j]; }
static void bc_bottom(double **c) { for (int i = 0; i <= NI + 1; i++) c[i][0] = 1.0; }
static void bc_top(double **c) { for (int i = 0; i <= NI + 1; i++) c[i][NJ + 1] = c[i][NJ]; }

static void apply(double **c)
{
    bc_left(c);
    bc_right(c);
    bc_bottom(c);
    bc_top(c);
}

static double **grid(int n, int m)
{
    double *d = calloc((size_t)n * m, sizeof(double));
    double **r = malloc(n * sizeof(double *));
    for (int i = 0; i < n; i++)
        r[i] = d + (size_t)i * m;
    return r;
}

int main(int argc, char *argv[])
{
    bool verbose = argc > 1;
    double **c = grid(NI + 2, NJ + 2), **cn = grid(NI + 2, NJ + 2);
    double D = 0.2, t = 0.0, dt = 1.0;
    for (int step = 0; step < 70; step++, t += dt) {
        apply(c);
        for (int i = 1; i <= NI; i++)
            for (int j = 1; j <= NJ; j++)
                cn[i][j] = c[i][j] + D * dt * (c[i + 1][j] + c[i - 1][j] + c[i][j + 1] + c[i][j - 1] - 4 * c[i][j]);
        double **tmp = c;
        c = cn;
        cn = tmp;
        if (verbose)
            printf("t = %g\n", t);
    }
    double s = 0;
    for (int i = 1; i <= NI; i++)
        for (int j = 1; j <= NJ; j++)
            s += c[i][j];
    printf("t %.2f total %.12f\n", t, s);
    free(c[0]);
    free(c);
    free(cn[0]);
    free(cn);
    return 0;
}
