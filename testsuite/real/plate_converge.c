/*
 * Steady temperature of a square plate: three sides are cold, the top is hot.
 * Sweeps until the largest change is below the tolerance.
 */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define M 48
#define N 60

double u[M][N];
double w[M][N];

int main(int argc, char *argv[])
{
    double diff, tol = 0.01, mean = 0.0;
    int i, j, iterations = 0, next_print = 1, max_iterations = 400;

    if (argc > 1)
        tol = atof(argv[1]);
    if (argc > 2)
        max_iterations = atoi(argv[2]);

    for (i = 1; i < M - 1; i++) {
        w[i][0] = 100.0;
        w[i][N - 1] = 100.0;
    }
    for (j = 0; j < N; j++) {
        w[M - 1][j] = 100.0;
        w[0][j] = 0.0;
    }

    /* start from the mean of the boundary */
    for (i = 1; i < M - 1; i++)
        mean = mean + w[i][0] + w[i][N - 1];
    for (j = 0; j < N; j++)
        mean = mean + w[M - 1][j] + w[0][j];
    mean = mean / (double)(2 * M + 2 * N - 4);
    printf("mean of the boundary = %.10f\n", mean);

    for (i = 1; i < M - 1; i++)
        for (j = 1; j < N - 1; j++)
            w[i][j] = mean;

    diff = tol + 1.0;
    while (diff > tol && iterations < max_iterations) {
        /* keep the old solution */
        for (i = 0; i < M; i++)
            for (j = 0; j < N; j++)
                u[i][j] = w[i][j];

        for (i = 1; i < M - 1; i++)
            for (j = 1; j < N - 1; j++)
                w[i][j] = (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]) / 4.0;

        diff = 0.0;
        for (i = 1; i < M - 1; i++) {
            for (j = 1; j < N - 1; j++) {
                if (diff < fabs(w[i][j] - u[i][j]))
                    diff = fabs(w[i][j] - u[i][j]);
            }
        }
        iterations++;
        if (iterations == next_print) {
            printf("%8d  %.9f\n", iterations, diff);
            next_print = 2 * next_print;
        }
    }

    printf("%8d  %.9f\n", iterations, diff);
    printf("centre: %.12f\n", w[M / 2][N / 2]);
    if (diff <= tol)
        printf("error tolerance reached\n");
    else
        printf("no convergence\n");
    return 0;
}
