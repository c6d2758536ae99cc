/* Linear long waves over a beach: open sea on the left, dry land masked on the right. */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

struct Sea
{
    int m, n;
    double dx, dt;
    double **eta;     /* elevation */
    double **mx, **my;  /* fluxes */
    double **depth;
};

static double **alloc2d(int m, int n)
{
    double **a = malloc(m * sizeof(*a));
    double *block = calloc(m * n, sizeof(*block));

    if (!a || !block)
    {
        fprintf(stderr, "Out of memory\n");
        exit(1);
    }
    for (int i = 0; i < m; i++)
        a[i] = &block[i * n];
    return a;
}

static void free2d(double **a)
{
    free(a[0]);
    free(a);
}

static void mass(struct Sea *s)
{
    for (int i = 1; i < s->m; i++)
    {
        for (int j = 1; j < s->n; j++)
        {
            if (s->depth[i][j] > 0.0)
                s->eta[i][j] -= s->dt / s->dx * (s->mx[i][j] - s->mx[i - 1][j] + s->my[i][j] - s->my[i][j - 1]);
        }
    }
}

static void momentum(struct Sea *s)
{
    const double g = 9.81;

    for (int i = 0; i < s->m - 1; i++)
    {
        for (int j = 0; j < s->n - 1; j++)
        {
            double hx = 0.5 * (s->depth[i][j] + s->depth[i + 1][j]);
            double hy = 0.5 * (s->depth[i][j] + s->depth[i][j + 1]);

            if (hx > 0.0)
                s->mx[i][j] -= g * hx * s->dt / s->dx * (s->eta[i + 1][j] - s->eta[i][j]);
            else
                s->mx[i][j] = 0.0;
            if (hy > 0.0)
                s->my[i][j] -= g * hy * s->dt / s->dx * (s->eta[i][j + 1] - s->eta[i][j]);
            else
                s->my[i][j] = 0.0;
        }
    }
}

int main(int argc, char *argv[])
{
    struct Sea sea = { 70, 50, 1000.0, 0.0, NULL, NULL, NULL, NULL };
    int steps = 80;
    double time = 0.0, highest = 0.0;

    if (argc > 1)
        steps = atoi(argv[1]);
    sea.eta = alloc2d(sea.m, sea.n);
    sea.mx = alloc2d(sea.m, sea.n);
    sea.my = alloc2d(sea.m, sea.n);
    sea.depth = alloc2d(sea.m, sea.n);
    for (int i = 0; i < sea.m; i++)
        for (int j = 0; j < sea.n; j++)
        {
            double r2 = (i - 20.0) * (i - 20.0) + (j - 25.0) * (j - 25.0);

            sea.depth[i][j] = i < 60 ? 4000.0 - 60.0 * i : -10.0;
            sea.eta[i][j] = 2.0 * exp(-r2 / 16.0);
        }
    sea.dt = 0.5 * sea.dx / sqrt(9.81 * 4000.0);

    for (int k = 0; k < steps; k++)
    {
        mass(&sea);
        momentum(&sea);
        time += sea.dt;
        if (sea.eta[58][25] > highest)
            highest = sea.eta[58][25];
        if (k % 20 == 0)
            printf("t = %8.3f s, at the coast %.9f m\n", time, sea.eta[58][25]);
    }
    printf("highest %.9f m\n", highest);
    free2d(sea.eta);
    free2d(sea.mx);
    free2d(sea.my);
    free2d(sea.depth);
    return 0;
}
