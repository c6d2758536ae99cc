/* Advection in 2D with slope limiter, dimension by dimension; early returns in the limiter. */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define GHOST 2
static int nx = 60, ny = 50;
#define STRIDE (ny + 2 * GHOST)
#define Q(i, j) q[((i) + GHOST) * STRIDE + (j) + GHOST]
#define QN(i, j) qn[((i) + GHOST) * STRIDE + (j) + GHOST]

static double minmod(double a, double b)
{
    if (a * b <= 0.0)
        return 0.0;
    if (fabs(a) < fabs(b))
        return a;
    return b;
}

static void ghosts(double *q)
{
    int i, j, g;

    for (g = 1; g <= GHOST; g++) {
        for (j = 0; j < ny; j++) {
            Q(-g, j) = Q(nx - g, j);
            Q(nx + g - 1, j) = Q(g - 1, j);
        }
        for (i = 0; i < nx; i++) {
            Q(i, -g) = Q(i, ny - g);
            Q(i, ny + g - 1) = Q(i, g - 1);
        }
    }
}

static double flux(double qll, double ql, double qr, double c)
{
    return ql + 0.5 * (1.0 - c) * minmod(ql - qll, qr - ql);
}

static void sweep_x(const double *q, double *qn, double c)
{
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < ny; j++)
            QN(i, j) = Q(i, j) - c * (flux(Q(i - 1, j), Q(i, j), Q(i + 1, j), c) - flux(Q(i - 2, j), Q(i - 1, j), Q(i, j), c));
}

static void sweep_y(const double *q, double *qn, double c)
{
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < ny; j++)
            QN(i, j) = Q(i, j) - c * (flux(Q(i, j - 1), Q(i, j), Q(i, j + 1), c) - flux(Q(i, j - 2), Q(i, j - 1), Q(i, j), c));
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 40;
    size_t bytes;
    double *a, *b, sum = 0, top = 0;

    bytes = (size_t)(nx + 2 * GHOST) * STRIDE * sizeof(double);
    a = malloc(bytes);
    b = malloc(bytes);
    if (!a || !b) {
        fprintf(stderr, "cannot allocate %zu bytes\n", 2 * bytes);
        return 1;
    }
    for (size_t k = 0; k < bytes / sizeof(double); k++)
        a[k] = b[k] = 0.0;
    for (int i = 10; i < 25; i++)
        for (int j = 12; j < 30; j++)
            a[(i + GHOST) * STRIDE + j + GHOST] = 1.0;

    for (int n = 0; n < steps; n++) {
        ghosts(a);
        sweep_x(a, b, 0.4);
        ghosts(b);
        sweep_y(b, a, 0.3);
    }
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < ny; j++) {
            double v = a[(i + GHOST) * STRIDE + j + GHOST];
            sum += v;
            if (v > top)
                top = v;
        }
    printf("sum %.12f top %.12f\n", sum, top);
    free(a);
    free(b);
    return 0;
}
