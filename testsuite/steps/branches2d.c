/* branches2d: Parts of the time loop, of a function that it calls and of what these use are chosen by the preprocessor: the tree has
 * what was chosen, and the translation ends with #error where it is built for something else.
 * hexcc-test: args=N,T run=3,2;4,1;20,5;61,12
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef SCHEME
#define SCHEME 5
#endif

#ifdef SINGLE
typedef float real;
#else
typedef double real;
#endif

static void edges(int n, real v[n][n])
{
    for (int i = 0; i < n; i++) {
#ifdef INSULATED
        v[i][0] = v[i][1];
        v[i][n - 1] = v[i][n - 2];
#else
        v[i][0] = 1.0;
        v[i][n - 1] = 0.5;
#endif
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 30;
    int steps = argc > 2 ? atoi(argv[2]) : 20;
    real *one = malloc(n * n * sizeof *one), *two = malloc(n * n * sizeof *two);
    for (int i = 0; i < n * n; i++)
        one[i] = two[i] = i * 7 % 31;
    real (*u)[n] = (real (*)[n])one, (*v)[n] = (real (*)[n])two;
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++) {
#if SCHEME == 9
                v[i][j] = 0.5 * u[i][j] + 0.0625 * (u[i - 1][j - 1] + u[i - 1][j] + u[i - 1][j + 1] + u[i][j - 1]
                                                    + u[i][j + 1] + u[i + 1][j - 1] + u[i + 1][j] + u[i + 1][j + 1]);
#elif SCHEME == 5
                v[i][j] = 0.5 * u[i][j] + 0.125 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
#else
#error "no such scheme"
#endif
            }
        edges(n, v);
#ifdef COPIES
        memcpy(u, v, n * n * sizeof **u);
#else
        real (*w)[n] = u;
        u = v;
        v = w;
#endif
    }
    double sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            sum += (i + 1) * u[i][j] - (j + 1) * v[i][j];
    printf("%.17g\n", sum);
    free(one);
    free(two);
    return 0;
}
