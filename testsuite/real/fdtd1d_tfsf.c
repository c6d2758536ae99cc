/* 1D FDTD with a total-field source, absorbing ends, and a lossy half space. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SIZE 200
#define LOSS_LAYER 180
#define IMP0 377.0

double ez[SIZE], hy[SIZE - 1];
double ceze[SIZE], cezh[SIZE], chyh[SIZE - 1], chye[SIZE - 1];

void grid_init(void)
{
    int mm;

    for (mm = 0; mm < SIZE; mm++) {
        if (mm < 100) {
            ceze[mm] = 1.0;
            cezh[mm] = IMP0;
        } else if (mm < LOSS_LAYER) {
            ceze[mm] = 1.0;
            cezh[mm] = IMP0 / 9.0;
        } else {
            ceze[mm] = (1.0 - 0.02) / (1.0 + 0.02);
            cezh[mm] = IMP0 / 9.0 / (1.0 + 0.02);
        }
    }
    for (mm = 0; mm < SIZE - 1; mm++) {
        if (mm < LOSS_LAYER) {
            chyh[mm] = 1.0;
            chye[mm] = 1.0 / IMP0;
        } else {
            chyh[mm] = (1.0 - 0.02) / (1.0 + 0.02);
            chye[mm] = 1.0 / IMP0 / (1.0 + 0.02);
        }
    }
}

void update_h(void)
{
    int mm;
    for (mm = 0; mm < SIZE - 1; mm++)
        hy[mm] = chyh[mm] * hy[mm] + chye[mm] * (ez[mm + 1] - ez[mm]);
}

void update_e(void)
{
    int mm;
    for (mm = 1; mm < SIZE - 1; mm++)
        ez[mm] = ceze[mm] * ez[mm] + cezh[mm] * (hy[mm] - hy[mm - 1]);
}

int main(int argc, char *argv[])
{
    int time, max_time = 450;

    if (argc > 1)
        max_time = atoi(argv[1]);

    grid_init();

    for (time = 0; time < max_time; time++) {
        update_h();

        /* correction of the magnetic field next to the source */
        hy[49] -= exp(-(time - 30.) * (time - 30.) / 100.) / IMP0;

        /* simple absorbing boundary on the left */
        ez[0] = ez[1];

        update_e();

        ez[50] += exp(-(time + 0.5 - (-0.5) - 30.) * (time + 0.5 - (-0.5) - 30.) / 100.);

        if (time % 50 == 0)
            printf("%d %.9g %.9g\n", time, ez[50], ez[120]);
    }

    for (time = 0; time < SIZE; time += 20)
        printf("ez[%d] = %.12g\n", time, ez[time]);
    return 0;
}
