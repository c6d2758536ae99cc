/*
 * TM mode in two dimensions. Fields are global pointers, reached by macros.
 */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

int sizeX = 81, sizeY = 61, maxTime = 100;
double *hx, *hy, *ez;
double cdtds = 0.70710678;

#define Hx(M, N) hx[(M) * (sizeY - 1) + (N)]
#define Hy(M, N) hy[(M) * sizeY + (N)]
#define Ez(M, N) ez[(M) * sizeY + (N)]

#define ALLOC_2D(PNTR, NUMX, NUMY, TYPE)                              \
    PNTR = (TYPE *)calloc((NUMX) * (NUMY), sizeof(TYPE));             \
    if (!PNTR) {                                                      \
        perror("ALLOC_2D");                                           \
        fprintf(stderr, "allocation failed for " #PNTR "\n");         \
        exit(-1);                                                     \
    }

void updateH2d()
{
    int mm, nn;

    for (mm = 0; mm < sizeX; mm++)
        for (nn = 0; nn < sizeY - 1; nn++)
            Hx(mm, nn) = Hx(mm, nn) - cdtds / 377.0 * (Ez(mm, nn + 1) - Ez(mm, nn));

    for (mm = 0; mm < sizeX - 1; mm++)
        for (nn = 0; nn < sizeY; nn++)
            Hy(mm, nn) = Hy(mm, nn) + cdtds / 377.0 * (Ez(mm + 1, nn) - Ez(mm, nn));
}

void updateE2d()
{
    int mm, nn;

    for (mm = 1; mm < sizeX - 1; mm++)
        for (nn = 1; nn < sizeY - 1; nn++)
            Ez(mm, nn) = Ez(mm, nn) + cdtds * 377.0 * ((Hy(mm, nn) - Hy(mm - 1, nn)) -
                                                       (Hx(mm, nn) - Hx(mm, nn - 1)));
}

double ricker(double time, double location, double ppw)
{
    double arg;

    arg = 3.14159265358979 * ((cdtds * time - location) / ppw - 1.0);
    arg = arg * arg;
    return (1.0 - 2.0 * arg) * exp(-arg);
}

void snapshot(int time)
{
    int mm;

    printf("%3d:", time);
    for (mm = 0; mm < sizeX; mm += 16)
        printf(" %.8e", Ez(mm, sizeY / 2));
    printf("\n");
}

int main(int argc, char **argv)
{
    int t;

    if (argc > 1)
        maxTime = atoi(argv[1]);

    ALLOC_2D(hx, sizeX, sizeY - 1, double)
    ALLOC_2D(hy, sizeX - 1, sizeY, double)
    ALLOC_2D(ez, sizeX, sizeY, double)

    for (t = 0; t < maxTime; t++) {
        updateH2d();
        updateE2d();
        Ez(sizeX / 2, sizeY / 2) = ricker(t, 0.0, 20.0);
        if (t % 20 == 0)
            snapshot(t);
    }
    snapshot(maxTime);

    free(hx);
    free(hy);
    free(ez);
    return 0;
}
