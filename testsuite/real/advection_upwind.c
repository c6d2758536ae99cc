// Linear advection with three schemes; choose one by its name.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAXN 2000

enum scheme { UPWIND, LAXWENDROFF, LEAPFROG };

static double u[MAXN], unew[MAXN], uold[MAXN];

static void usage(const char *name)
{
    fprintf(stderr, "usage: %s [upwind|lax-wendroff|leapfrog] [cells] [steps]\n", name);
    exit(2);
}

int main(int argc, char *argv[])
{
    enum scheme scheme = LAXWENDROFF;
    int N = 400, T = 300;
    double c = 0.8;

    if (argc > 1) {
        if (!strcmp(argv[1], "upwind"))
            scheme = UPWIND;
        else if (!strcmp(argv[1], "lax-wendroff"))
            scheme = LAXWENDROFF;
        else if (!strcmp(argv[1], "leapfrog"))
            scheme = LEAPFROG;
        else
            usage(argv[0]);
    }
    if (argc > 2)
        N = atoi(argv[2]);
    if (argc > 3)
        T = atoi(argv[3]);
    if (N < 10 || N > MAXN - 2)
        usage(argv[0]);

    for (int i = 0; i <= N + 1; i++)
        u[i] = uold[i] = (i > N / 10 && i < N / 4) ? 1.0 : 0.0;

    for (int t = 0; t < T; t++) {
        // ghost cells
        u[0] = u[N];
        u[N + 1] = u[1];

        if (scheme == UPWIND) {
            for (int i = 1; i <= N; i++)
                unew[i] = u[i] - c * (u[i] - u[i - 1]);
        } else if (scheme == LAXWENDROFF) {
            for (int i = 1; i <= N; i++)
                unew[i] = u[i] - 0.5 * c * (u[i + 1] - u[i - 1])
                    + 0.5 * c * c * (u[i + 1] - 2.0 * u[i] + u[i - 1]);
        } else {
            for (int i = 1; i <= N; i++)
                unew[i] = uold[i] - c * (u[i + 1] - u[i - 1]);
        }

        memcpy(uold, u, sizeof(u));
        memcpy(u, unew, sizeof(u));
    }

    double mass = 0.0, peak = u[1], low = u[1];
    for (int i = 1; i <= N; i++) {
        mass += u[i];
        if (u[i] > peak)
            peak = u[i];
        if (u[i] < low)
            low = u[i];
    }
    printf("mass %.10f peak %.10f low %.10f\n", mass / N, peak, low);
    return 0;
}
