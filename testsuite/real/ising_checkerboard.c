/* Ising model, checkerboard updates with random numbers made before each sweep. */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define L 64

static signed char spin[L][L];
static float rnd[L][L];
static unsigned long long state = 88172645463325252ULL;

static float uniform(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (state >> 40) / 16777216.0f;
}

static void draw(void)
{
    for (int i = 0; i < L; i++)
        for (int j = 0; j < L; j++)
            rnd[i][j] = uniform();
}

static void update(int colour, const float *accept)
{
    for (int i = 0; i < L; i++) {
        for (int j = 0; j < L; j++) {
            if (((i + j) & 1) != colour)
                continue;
            int up = spin[(i + L - 1) % L][j], down = spin[(i + 1) % L][j];
            int left = spin[i][(j + L - 1) % L], right = spin[i][(j + 1) % L];
            int e = spin[i][j] * (up + down + left + right);

            if (e <= 0 || rnd[i][j] < accept[e])
                spin[i][j] = -spin[i][j];
        }
    }
}

int main(int argc, char **argv)
{
    int sweeps = argc > 1 ? atoi(argv[1]) : 30;
    float temperature = argc > 2 ? (float)atof(argv[2]) : 2.1f;
    float accept[5];

    for (int e = 0; e <= 4; e++)
        accept[e] = expf(-2.0f * e / temperature);
    for (int i = 0; i < L; i++)
        for (int j = 0; j < L; j++)
            spin[i][j] = uniform() < 0.7f ? 1 : -1;

    for (int s = 0; s < sweeps; s++) {
        draw();
        update(0, accept);
        update(1, accept);
        if (s % 10 == 9) {
            int m = 0;
            for (int i = 0; i < L; i++)
                for (int j = 0; j < L; j++)
                    m += spin[i][j];
            printf("sweep %d magnetisation %.6f\n", s + 1, (double)m / (L * L));
        }
    }
    return 0;
}
