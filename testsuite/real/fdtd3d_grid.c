/* 3D FDTD in a box of perfect conductors; all that belongs to the grid is in a struct. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct grid {
    int nx, ny, nz, nt;
    double dt, dx;
    double *ex, *ey, *ez;
    double *hx, *hy, *hz;
} Grid;

#define AT(g, f, i, j, k) ((g)->f[((i) * (g)->ny + (j)) * (g)->nz + (k)])

static double *field(const Grid *g)
{
    double *p = calloc((size_t)g->nx * g->ny * g->nz, sizeof *p);

    if (p == NULL) {
        fprintf(stderr, "cannot allocate a field\n");
        exit(1);
    }
    return p;
}

static void update_h(Grid *g)
{
    double c = g->dt / g->dx;

    for (int i = 0; i < g->nx - 1; i++)
        for (int j = 0; j < g->ny - 1; j++)
            for (int k = 0; k < g->nz - 1; k++) {
                AT(g, hx, i, j, k) += c * ((AT(g, ey, i, j, k + 1) - AT(g, ey, i, j, k))
                                         - (AT(g, ez, i, j + 1, k) - AT(g, ez, i, j, k)));
                AT(g, hy, i, j, k) += c * ((AT(g, ez, i + 1, j, k) - AT(g, ez, i, j, k))
                                         - (AT(g, ex, i, j, k + 1) - AT(g, ex, i, j, k)));
                AT(g, hz, i, j, k) += c * ((AT(g, ex, i, j + 1, k) - AT(g, ex, i, j, k))
                                         - (AT(g, ey, i + 1, j, k) - AT(g, ey, i, j, k)));
            }
}

static void update_e(Grid *g)
{
    double c = g->dt / g->dx;

    for (int i = 1; i < g->nx - 1; i++)
        for (int j = 1; j < g->ny - 1; j++)
            for (int k = 1; k < g->nz - 1; k++) {
                AT(g, ex, i, j, k) += c * ((AT(g, hz, i, j, k) - AT(g, hz, i, j - 1, k))
                                         - (AT(g, hy, i, j, k) - AT(g, hy, i, j, k - 1)));
                AT(g, ey, i, j, k) += c * ((AT(g, hx, i, j, k) - AT(g, hx, i, j, k - 1))
                                         - (AT(g, hz, i, j, k) - AT(g, hz, i - 1, j, k)));
                AT(g, ez, i, j, k) += c * ((AT(g, hy, i, j, k) - AT(g, hy, i - 1, j, k))
                                         - (AT(g, hx, i, j, k) - AT(g, hx, i, j - 1, k)));
            }
}

static double energy(const Grid *g)
{
    double sum = 0;

    for (int n = 0; n < g->nx * g->ny * g->nz; n++)
        sum += g->ex[n] * g->ex[n] + g->ey[n] * g->ey[n] + g->ez[n] * g->ez[n]
             + g->hx[n] * g->hx[n] + g->hy[n] * g->hy[n] + g->hz[n] * g->hz[n];
    return 0.5 * sum;
}

int main(int argc, char *argv[])
{
    Grid grid, *g = &grid;

    g->nx = argc > 1 ? atoi(argv[1]) : 16;
    g->ny = argc > 2 ? atoi(argv[2]) : 18;
    g->nz = argc > 3 ? atoi(argv[3]) : 20;
    g->nt = argc > 4 ? atoi(argv[4]) : 30;
    g->dx = 1.0;
    g->dt = 0.5;
    g->ex = field(g); g->ey = field(g); g->ez = field(g);
    g->hx = field(g); g->hy = field(g); g->hz = field(g);

    for (int t = 0; t < g->nt; t++) {
        update_h(g);
        update_e(g);
        AT(g, ez, g->nx / 2, g->ny / 2, g->nz / 2) += exp(-0.02 * (t - 12) * (t - 12));
        if (t % 10 == 9)
            printf("step %3d: energy %.12e, probe %.12e\n", t + 1, energy(g),
                   AT(g, ez, g->nx / 2 + 3, g->ny / 2, g->nz / 2));
    }

    free(g->ex); free(g->ey); free(g->ez);
    free(g->hx); free(g->hy); free(g->hz);
    return 0;
}
