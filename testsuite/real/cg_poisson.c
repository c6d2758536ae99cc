/* Conjugate gradients without a matrix for -u'' - u.. = f on a square. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int n = 40;

#define ID(i, j) ((i) * (n + 2) + (j))

static double dot(const double *a, const double *b)
{
    double s = 0.0;
    int i, j;

    for (i = 1; i <= n; i++)
        for (j = 1; j <= n; j++)
            s += a[ID(i, j)] * b[ID(i, j)];
    return s;
}

static void axpy(double *y, double alpha, const double *x)
{
    int i, j;

    for (i = 1; i <= n; i++)
        for (j = 1; j <= n; j++)
            y[ID(i, j)] += alpha * x[ID(i, j)];
}

static void apply(double *q, const double *p)
{
    int i, j;

    for (i = 1; i <= n; i++)
        for (j = 1; j <= n; j++)
            q[ID(i, j)] = 4.0 * p[ID(i, j)] - p[ID(i - 1, j)] - p[ID(i + 1, j)] - p[ID(i, j - 1)] - p[ID(i, j + 1)];
}

static double *vector(void)
{
    double *v = calloc((n + 2) * (n + 2), sizeof(double));

    if (v == NULL) {
        fprintf(stderr, "calloc failed\n");
        exit(1);
    }
    return v;
}

int main(int argc, char **argv)
{
    double *x, *r, *p, *q, rr, rr_new, alpha, h, tol = 1e-8;
    int i, j, k, max_it = 120;

    if (argc > 1)
        n = atoi(argv[1]);
    if (argc > 2)
        max_it = atoi(argv[2]);
    h = 1.0 / (n + 1);
    x = vector();
    r = vector();
    p = vector();
    q = vector();

    for (i = 1; i <= n; i++)
        for (j = 1; j <= n; j++)
            r[ID(i, j)] = h * h * (i > j ? 1.0 : -2.0);
    memcpy(p, r, (n + 2) * (n + 2) * sizeof(double));
    rr = dot(r, r);

    for (k = 0; k < max_it && sqrt(rr) > tol; k++) {
        apply(q, p);
        alpha = rr / dot(p, q);
        axpy(x, alpha, p);
        axpy(r, -alpha, q);
        rr_new = dot(r, r);
        for (i = 1; i <= n; i++)
            for (j = 1; j <= n; j++)
                p[ID(i, j)] = r[ID(i, j)] + rr_new / rr * p[ID(i, j)];
        rr = rr_new;
    }
    printf("%d iterations, residual %.6e\n", k, sqrt(rr));
    printf("x(1/2, 1/2) = %.12f\n", x[ID(n / 2, n / 2)]);
    free(x);
    free(r);
    free(p);
    free(q);
    return 0;
}
