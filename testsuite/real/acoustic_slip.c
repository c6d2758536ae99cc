/* Acoustic wave on a grid: second derivatives and the step in time in functions of their own.
   The planes are handed on, but the oldest one is never given back. */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define NX 96
#define NZ 80
#define AT(i, j) ((i) * NX + (j))

static void laplace(const float *p, float *lap, float h)
{
    for (int i = 1; i < NZ - 1; i++)
        for (int j = 1; j < NX - 1; j++)
            lap[AT(i, j)] = (p[AT(i - 1, j)] + p[AT(i + 1, j)] + p[AT(i, j - 1)] + p[AT(i, j + 1)]
                             - 4.0f * p[AT(i, j)]) / (h * h);
}

static void advance(float *next, const float *now, const float *old, const float *lap, const float *c, float dt)
{
    for (int i = 1; i < NZ - 1; i++)
        for (int j = 1; j < NX - 1; j++)
            next[AT(i, j)] = 2.0f * now[AT(i, j)] - old[AT(i, j)] + c[AT(i, j)] * c[AT(i, j)] * dt * dt * lap[AT(i, j)];
}

static void propagate(float *next, float *now, float *old, float *lap, float *c, int steps, float dt)
{
    for (int t = 0; t < steps; t++) {
        laplace(next, lap, 25.0f);
        advance(next, now, old, lap, c, dt);
        next[AT(NZ / 2, NX / 2)] += expf(-0.01f * (t - 20) * (t - 20));
        if (t % 10 == 0)
            printf("%3d %g\n", t, next[AT(NZ / 2, NX / 2)]);
        old = now;
        now = next;
    }
}

int main(void)
{
    float *next = calloc(NX * NZ, sizeof *next), *now = calloc(NX * NZ, sizeof *now);
    float *old = calloc(NX * NZ, sizeof *old), *lap = calloc(NX * NZ, sizeof *lap);
    float *c = malloc(NX * NZ * sizeof *c);
    for (int i = 0; i < NX * NZ; i++)
        c[i] = 2000.0f + 5.0f * (i / NX);
    propagate(next, now, old, lap, c, 60, 0.001f);
    double sum = 0;
    for (int i = 0; i < NX * NZ; i++)
        sum += next[i];
    printf("%g\n", sum);
    return 0;
}
