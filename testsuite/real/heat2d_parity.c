/* Two planes chosen by t & 1. */
#include <stdio.h>
#include <stdlib.h>

#define N 100
#define STEPS 60

static float plate[2][N][N];

static void boundary(void)
{
    int i;

    for (i = 0; i < N; i++) {
        plate[0][i][0] = plate[1][i][0] = 20.0f;
        plate[0][i][N-1] = plate[1][i][N-1] = 20.0f + i;
        plate[0][0][i] = plate[1][0][i] = 20.0f;
        plate[0][N-1][i] = plate[1][N-1][i] = 20.0f + i;
    }
}

int main(void)
{
    int t, i, j, last;
    float lo, hi;
    double mean = 0.0;

    for (i = 1; i < N - 1; i++)
        for (j = 1; j < N - 1; j++)
            plate[0][i][j] = 20.0f;
    boundary();
    /* a hot spot */
    for (i = 40; i < 50; i++)
        for (j = 30; j < 60; j++)
            plate[0][i][j] = 150.0f;

    for (t = 0; t < STEPS; t++) {
        for (i = 1; i < N - 1; i++) {
            for (j = 1; j < N - 1; j++) {
                plate[(t + 1) & 1][i][j] = plate[t & 1][i][j]
                    + 0.1f * (+plate[t & 1][i + 1][j] + plate[t & 1][i - 1][j] - 2.0f * plate[t & 1][i][j])
                    + 0.1f * (+plate[t & 1][i][j + 1] + plate[t & 1][i][j - 1] - 2.0f * plate[t & 1][i][j]);
            }
        }
    }

    last = STEPS & 1;
    lo = hi = plate[last][0][0];
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++) {
            float v = plate[last][i][j];

            if (v < lo) lo = v;
            if (v > hi) hi = v;
            mean += v;
        }
    printf("lowest %.7f highest %.7f mean %.10f\n", lo, hi, mean / (N * N));
    for (i = 5; i < N; i += 10) {
        for (j = 5; j < N; j += 10)
            printf(" %8.4f", plate[last][i][j]);
        printf("\n");
    }
    return 0;
}
