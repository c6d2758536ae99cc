/* 2D Euler, Lax-Friedrichs, components in the last index of a 4D array q[2][NX][NY][4], loops over components. */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define NX 50
#define NY 40
#define NV 4

static double q[2][NX][NY][NV];
static double fx[NX][NY][NV], fy[NX][NY][NV];

static void initial(void)
{
    int i, j, k;

    for (i = 0; i < NX; i++) {
        for (j = 0; j < NY; j++) {
            int in = (i - 25) * (i - 25) + (j - 20) * (j - 20) < 36;

            q[0][i][j][0] = in ? 2.0 : 1.0;
            q[0][i][j][1] = 0.0;
            q[0][i][j][2] = 0.0;
            q[0][i][j][3] = in ? 5.0 : 2.5;
            for (k = 0; k < NV; k++)
                q[1][i][j][k] = q[0][i][j][k];
        }
    }
}

static void fluxes(int s)
{
    int i, j;

    for (i = 0; i < NX; i++)
        for (j = 0; j < NY; j++) {
            double r = q[s][i][j][0], u = q[s][i][j][1] / r, v = q[s][i][j][2] / r, e = q[s][i][j][3];
            double p = 0.4 * (e - 0.5 * r * (u * u + v * v));

            fx[i][j][0] = r * u;
            fx[i][j][1] = r * u * u + p;
            fx[i][j][2] = r * u * v;
            fx[i][j][3] = u * (e + p);
            fy[i][j][0] = r * v;
            fy[i][j][1] = r * u * v;
            fy[i][j][2] = r * v * v + p;
            fy[i][j][3] = v * (e + p);
        }
}

static void update(int s, double c)
{
    int i, j, k, d = 1 - s;

    for (i = 1; i < NX - 1; i++)
        for (j = 1; j < NY - 1; j++)
            for (k = 0; k < NV; k++)
                q[d][i][j][k] = 0.25 * (q[s][i - 1][j][k] + q[s][i + 1][j][k] + q[s][i][j - 1][k] + q[s][i][j + 1][k])
                    - 0.5 * c * (fx[i + 1][j][k] - fx[i - 1][j][k] + fy[i][j + 1][k] - fy[i][j - 1][k]);
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 40, n, i, j, s = 0;
    double mass = 0.0, energy = 0.0;

    initial();
    for (n = 0; n < steps; n++) {
        fluxes(s);
        update(s, 0.2);
        s = 1 - s;
    }
    for (i = 0; i < NX; i++)
        for (j = 0; j < NY; j++) {
            mass += q[s][i][j][0];
            energy += q[s][i][j][3];
        }
    printf("mass %.12f energy %.12f\n", mass, energy);
    printf("%.12f %.12f\n", q[s][NX / 2][NY / 2][0], q[s][30][20][1]);
    return 0;
}
