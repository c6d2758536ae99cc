/* A pulse between two mirrors, from a menu: numbers of steps come from the command line. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CELLS 400

double ez[CELLS], hy[CELLS];

int main(int argc, char **argv)
{
    const double imp = 377.0;
    int choice = 0, k, t;

    do {
        int steps = choice + 1 < argc ? atoi(argv[choice + 1]) : 60;
        for (t = 0; t < steps; t++) {
            for (k = 0; k < CELLS - 1; k++)
                hy[k] = hy[k] + (ez[k + 1] - ez[k]) / imp;
            for (k = 1; k < CELLS; k++)
                ez[k] = ez[k] + (hy[k] - hy[k - 1]) * imp;
            ez[50] += exp(-(t - 30.0) * (t - 30.0) / 100.0);
            if (t % 20 == 0)
                printf("%d %.12g %.12g\n", t, ez[50], hy[60]);
        }
        printf("run %d: %.12g\n", choice, ez[100]);
        choice++;
    } while (choice < 3);
    return 0;
}
