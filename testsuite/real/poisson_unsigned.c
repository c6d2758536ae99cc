/* Jacobi for Poisson's equation with unsigned sizes, C89 declarations, goto for errors. */
#include <stdio.h>
#include <stdlib.h>

typedef unsigned int uint;

static uint at(uint i, uint j, uint n)
{
    return i * n + j;
}

static void jacobi(uint n, double h2, const double *f, const double *u, double *v)
{
    uint i, j;

    for (i = 1; i < n - 1; ++i)
        for (j = 1; j < n - 1; ++j)
            v[at(i, j, n)] = 0.25 * (u[at(i - 1, j, n)] + u[at(i + 1, j, n)] + u[at(i, j - 1, n)]
                                     + u[at(i, j + 1, n)] - h2 * f[at(i, j, n)]);
}

static double norm(uint n, const double *u, const double *v)
{
    double s = 0.0;
    uint k;

    for (k = 0; k < n * n; ++k)
        s += (u[k] - v[k]) * (u[k] - v[k]);
    return s;
}

int main(int argc, char *argv[])
{
    uint n = 65, it, iterations = 60, k;
    double h, *u = NULL, *v = NULL, *f = NULL, *t, s = 0.0;
    int status = EXIT_FAILURE;

    if (argc >= 2)
        n = (uint) strtoul(argv[1], NULL, 0);
    if (argc >= 3)
        iterations = (uint) strtoul(argv[2], NULL, 0);
    h = 1.0 / (n - 1);

    u = calloc(n * n, sizeof(double));
    v = calloc(n * n, sizeof(double));
    f = calloc(n * n, sizeof(double));
    if (!u || !v || !f)
        goto done;

    f[at(n / 4, n / 4, n)] = 100.0;
    f[at(3 * n / 4, n / 2, n)] = -100.0;
    for (it = 0; it < iterations; ++it) {
        jacobi(n, h * h, f, u, v);
        t = u;
        u = v;
        v = t;
    }

    printf("difference of the last two %.10e\n", norm(n, u, v));
    for (k = 0; k < n * n; ++k)
        s += u[k] * (double) (k % 17);
    printf("checksum %.12e\n", s);
    status = EXIT_SUCCESS;

done:
    if (status != EXIT_SUCCESS)
        fprintf(stderr, "not enough memory\n");
    free(u);
    free(v);
    free(f);
    return status;
}
