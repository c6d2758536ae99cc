/* V-cycles for the Poisson equation, recursive, weighted Jacobi as smoother; a struct per level. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define LEVELS 4

typedef struct level {
    int n;
    double h;
    double *u, *f, *r;
} level;

static level lv[LEVELS];

#define U(l, i, j) (l)->u[(i) * ((l)->n + 1) + (j)]
#define F(l, i, j) (l)->f[(i) * ((l)->n + 1) + (j)]
#define R(l, i, j) (l)->r[(i) * ((l)->n + 1) + (j)]

static void smooth(level *l, int times)
{
    int n = l->n;

    for (int k = 0; k < times; k++) {
        for (int i = 1; i < n; i++)
            for (int j = 1; j < n; j++)
                R(l, i, j) = 0.2 * U(l, i, j) + 0.8 * 0.25 * (U(l, i - 1, j) + U(l, i + 1, j) + U(l, i, j - 1)
                                                              + U(l, i, j + 1) + l->h * l->h * F(l, i, j));
        for (int i = 1; i < n; i++)
            for (int j = 1; j < n; j++)
                U(l, i, j) = R(l, i, j);
    }
}

static double residual(level *l)
{
    double most = 0.0;

    for (int i = 1; i < l->n; i++)
        for (int j = 1; j < l->n; j++) {
            R(l, i, j) = F(l, i, j) - (4 * U(l, i, j) - U(l, i - 1, j) - U(l, i + 1, j) - U(l, i, j - 1)
                                       - U(l, i, j + 1)) / (l->h * l->h);
            most = fmax(most, fabs(R(l, i, j)));
        }
    return most;
}

static void vcycle(int k)
{
    level *fine = &lv[k], *coarse = fine + 1;

    if (k == LEVELS - 1) {
        smooth(fine, 30);
        return;
    }
    smooth(fine, 2);
    residual(fine);
    for (int i = 1; i < coarse->n; i++)
        for (int j = 1; j < coarse->n; j++) {
            F(coarse, i, j) = 0.25 * R(fine, 2 * i, 2 * j)
                + 0.125 * (R(fine, 2 * i - 1, 2 * j) + R(fine, 2 * i + 1, 2 * j) + R(fine, 2 * i, 2 * j - 1) + R(fine, 2 * i, 2 * j + 1))
                + 0.0625 * (R(fine, 2 * i - 1, 2 * j - 1) + R(fine, 2 * i - 1, 2 * j + 1)
                            + R(fine, 2 * i + 1, 2 * j - 1) + R(fine, 2 * i + 1, 2 * j + 1));
            U(coarse, i, j) = 0.0;
        }
    vcycle(k + 1);
    for (int i = 0; i < coarse->n; i++)
        for (int j = 0; j < coarse->n; j++) {
            U(fine, 2 * i, 2 * j) += U(coarse, i, j);
            U(fine, 2 * i + 1, 2 * j) += 0.5 * (U(coarse, i, j) + U(coarse, i + 1, j));
            U(fine, 2 * i, 2 * j + 1) += 0.5 * (U(coarse, i, j) + U(coarse, i, j + 1));
            U(fine, 2 * i + 1, 2 * j + 1) += 0.25 * (U(coarse, i, j) + U(coarse, i + 1, j)
                                                     + U(coarse, i, j + 1) + U(coarse, i + 1, j + 1));
        }
    smooth(fine, 2);
}

int main(int argc, char **argv)
{
    int cycles = argc > 1 ? atoi(argv[1]) : 5, n = 64;

    for (int k = 0; k < LEVELS; k++, n /= 2) {
        size_t points = (size_t)(n + 1) * (n + 1);

        lv[k] = (level){ n, 1.0 / n, calloc(points, 8), calloc(points, 8), calloc(points, 8) };
        if (!lv[k].u || !lv[k].f || !lv[k].r)
            return EXIT_FAILURE;
    }
    for (int i = 1; i < 64; i++)
        for (int j = 1; j < 64; j++)
            F(&lv[0], i, j) = sin(M_PI * i / 64) * sin(3 * M_PI * j / 64);
    for (int c = 0; c < cycles; c++) {
        vcycle(0);
        printf("cycle %d: residual %.9e\n", c + 1, residual(&lv[0]));
    }
    for (int k = 0; k < LEVELS; k++)
        free(lv[k].u), free(lv[k].f), free(lv[k].r);
    return 0;
}
