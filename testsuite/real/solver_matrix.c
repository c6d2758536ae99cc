/* A matrix that the solver gets by the address of its pointer; sizes in hexadecimal. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SIDE (0x1 << 5)
#define ROUNDS 50
#define TOLERANCE 0.002f

static void allocate(float **mat, int n)
{
    *mat = malloc(sizeof(float) * n * n);
    for (int i = 0; i < n * n; i++)
        (*mat)[i] = (i * 7 % 13) * 0.5f;
}

static int solve(float **mat, const int n)
{
    float largest = 1.0f;
    int rounds = 0;
    float *next = malloc(sizeof(float) * n * n);

    while (largest > TOLERANCE && rounds < ROUNDS) {
        largest = 0.0f;
        for (int i = 1; i < n - 1; i++) {
            for (int j = 1; j < n - 1; j++) {
                const int pos = i * n + j;
                next[pos] = 0.25f * ((*mat)[pos - 1] + (*mat)[pos + 1] + (*mat)[pos - n] + (*mat)[pos + n]);
                largest = fmaxf(largest, fabsf(next[pos] - (*mat)[pos]));
            }
        }
        for (int i = 1; i < n - 1; i++) {
            for (int j = 1; j < n - 1; j++) {
                const int pos = i * n + j;
                (*mat)[pos] = next[pos];
            }
        }
        rounds++;
    }
    free(next);
    return rounds;
}

int main(void)
{
    float *mat;

    allocate(&mat, SIDE);
    printf("%d rounds\n", solve(&mat, SIDE));
    for (int i = 0; i < SIDE; i += 9)
        printf("%.9g\n", mat[i * SIDE + i / 2]);
    free(mat);
    return 0;
}
