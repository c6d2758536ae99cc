/* Relaxation along a rod: smoothing, then upwind in place; a checksum of the labels that are printed. */
#include <stdio.h>
#include <stdlib.h>

#define N 4000

static const char *labels[] = { "left", "middle", "right" };

static unsigned checksum(void)
{
    unsigned sum = 0;
    int i;
    const char *s;

    for (i = 0; i < 3; i++)
        for (s = labels[i]; *s; s++)
            sum = sum * 31 + (unsigned char)*s;
    return sum;
}

int main(void)
{
    double u[N + 1], v[N + 1];
    int i, t;

    for (i = 0; i <= N; i++)
        u[i] = v[i] = (i % 37) * 0.25;
    for (t = 0; t < 20; t++) {
        for (i = 1; i < N; i++)
            v[i] = 0.25 * u[i - 1] + 0.5 * u[i] + 0.25 * u[i + 1];
        for (i = 1; i < N; i++)
            u[i] = 0.1 * u[i - 1] + 0.9 * v[i];
    }
    for (i = 0; i < 3; i++)
        printf("%s %.10g\n", labels[i], u[(i + 1) * N / 4]);
    printf("%u\n", checksum());
    return 0;
}
