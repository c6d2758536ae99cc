/**
 * Cahn-Hilliard, explicit, periodic. Index helpers as inline functions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int nx = 48, ny = 48;

static inline int idx(int i, int j) { return i * ny + j; }
static inline int up(int i, int n) { return i + 1 < n ? i + 1 : 0; }
static inline int down(int i, int n) { return i > 0 ? i - 1 : n - 1; }

static double laplacian(const double *f, int i, int j)
{
    return f[idx(up(i, nx), j)] + f[idx(down(i, nx), j)] + f[idx(i, up(j, ny))] + f[idx(i, down(j, ny))]
        - 4.0 * f[idx(i, j)];
}

static void chemical_potential(const double *c, double *mu, double kappa)
{
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < ny; j++) {
            double v = c[idx(i, j)];
            mu[idx(i, j)] = 2.0 * v * (1.0 - v) * (1.0 - 2.0 * v) - kappa * laplacian(c, i, j);
        }
}

static void update(double *c, const double *mu, double m, double dt)
{
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < ny; j++)
            c[idx(i, j)] += dt * m * laplacian(mu, i, j);
}

static void report(int step, const double *c)
{
    double min = c[0], max = c[0], sum = 0;

    for (int k = 0; k < nx * ny; k++) {
        if (c[k] < min) min = c[k];
        if (c[k] > max) max = c[k];
        sum += c[k];
    }
    printf("%6d  min %.9f  max %.9f  mean %.12f\n", step, min, max, sum / (nx * ny));
}

int main(int argc, char *argv[])
{
    int nsteps = 100, nprint = 25;
    double dt = 0.01, mobility = 1.0, kappa = 0.5;
    double *c, *mu;

    for (int a = 1; a < argc; a++) {
        if (strcmp(argv[a], "-n") == 0 && a + 1 < argc)
            nsteps = atoi(argv[++a]);
        else if (strcmp(argv[a], "-p") == 0 && a + 1 < argc)
            nprint = atoi(argv[++a]);
        else {
            fprintf(stderr, "usage: %s [-n steps] [-p every]\n", argv[0]);
            return 1;
        }
    }

    c = malloc(sizeof *c * nx * ny);
    mu = malloc(sizeof *mu * nx * ny);
    if (!c || !mu)
        return 1;
    srand(0);
    unsigned s = 99;
    for (int k = 0; k < nx * ny; k++) {
        s = s * 1103515245u + 12345u;
        c[k] = 0.4 + 0.02 * (0.5 - (s >> 16) % 1000 / 1000.0);
    }

    for (int step = 0; step <= nsteps; step++) {
        if (step % nprint == 0)
            report(step, c);
        chemical_potential(c, mu, kappa);
        update(c, mu, mobility, dt);
    }
    free(c);
    free(mu);
    return 0;
}
