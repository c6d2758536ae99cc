/* Peaceman-Rachford ADI: a tridiagonal system along each row, then along each column. */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define NX 50
#define NY 44

static double u[NX][NY], v[NX][NY];

static void thomas(int n, double r, double *d, double *x)
{
    double c[128];
    int i;

    c[0] = 0.0;
    for (i = 1; i < n - 1; i++) {
        double m = (2.0 + 2.0 * r) + r * c[i - 1];
        c[i] = -r / m;
        d[i] = (d[i] + r * d[i - 1]) / m;
    }
    x[n - 1] = d[n - 1];
    for (i = n - 2; i > 0; i--)
        x[i] = d[i] - c[i] * x[i + 1];
    x[0] = d[0];
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 15, n, i, j;
    double r = 1.5, d[128], x[128], s = 0.0;

    for (i = 0; i < NX; i++)
        for (j = 0; j < NY; j++)
            u[i][j] = v[i][j] = sin(M_PI * i / (NX - 1)) * sin(2 * M_PI * j / (NY - 1));

    for (n = 0; n < steps; n++) {
        /* implicit in x */
        for (j = 1; j < NY - 1; j++) {
            d[0] = u[0][j];
            d[NX - 1] = u[NX - 1][j];
            for (i = 1; i < NX - 1; i++)
                d[i] = r * u[i][j - 1] + (2.0 - 2.0 * r) * u[i][j] + r * u[i][j + 1];
            thomas(NX, r, d, x);
            for (i = 0; i < NX; i++)
                v[i][j] = x[i];
        }
        /* implicit in y */
        for (i = 1; i < NX - 1; i++) {
            d[0] = v[i][0];
            d[NY - 1] = v[i][NY - 1];
            for (j = 1; j < NY - 1; j++)
                d[j] = r * v[i - 1][j] + (2.0 - 2.0 * r) * v[i][j] + r * v[i + 1][j];
            thomas(NY, r, d, x);
            for (j = 0; j < NY; j++)
                u[i][j] = x[j];
        }
    }
    for (i = 0; i < NX; i++)
        for (j = 0; j < NY; j++)
            s += fabs(u[i][j]);
    printf("steps = %d, sum = %.12e\n", steps, s);
    printf("u = %.12e\n", u[NX / 3][NY / 3]);
    return 0;
}
