/* Vibrating string, three time levels, rotated by pointers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int nx = 401;
    int nt = 300;
    double c = 1.0, dx, dt, r2;
    double *prev, *curr, *next, *tmp;
    double energy, t;
    int i, n;

    if (argc == 3) {
        nx = atoi(argv[1]);
        nt = atoi(argv[2]);
    }
    dx = 1.0 / (nx - 1);
    dt = 0.5 * dx / c;
    r2 = c * c * dt * dt / (dx * dx);

    prev = (double *) malloc(nx * sizeof(double));
    curr = (double *) malloc(nx * sizeof(double));
    next = (double *) malloc(nx * sizeof(double));
    if (!prev || !curr || !next) {
        printf("malloc failed\n");
        exit(1);
    }

    /* plucked at 0.3 */
    for (i = 0; i < nx; i++) {
        double x = i * dx;
        curr[i] = x < 0.3 ? x / 0.3 : (1.0 - x) / 0.7;
    }
    prev[0] = curr[0];
    prev[nx-1] = curr[nx-1];
    for (i = 1; i < nx - 1; i++)
        prev[i] = curr[i] + 0.5 * r2 * (curr[i+1] - 2.0 * curr[i] + curr[i-1]);
    next[0] = next[nx-1] = 0.0;

    t = 0.0;
    for (n = 1; n <= nt; n++) {
        for (i = 1; i < nx - 1; i++)
            next[i] = 2.0 * curr[i] - prev[i] + r2 * (curr[i+1] - 2.0 * curr[i] + curr[i-1]);
        next[0] = 0.0;
        next[nx-1] = 0.0;

        tmp = prev;
        prev = curr;
        curr = next;
        next = tmp;
        t += dt;

        if (n % 100 == 0) {
            energy = 0.0;
            for (i = 1; i < nx; i++) {
                double v = (curr[i] - prev[i]) / dt;
                double s = c * (curr[i] - curr[i-1]) / dx;
                energy += 0.5 * (v * v + s * s) * dx;
            }
            printf("t = %.6f  energy = %.10f\n", t, energy);
        }
    }

    for (i = 0; i < nx; i += nx / 8)
        printf("%4d %.12f\n", i, curr[i]);

    free(prev);
    free(curr);
    free(next);
    return 0;
}
