/* Lid-driven cavity by lattice Boltzmann; the nine populations are planes of one array, nine temporaries per cell. */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define NX 40
#define NY 40

static double f[9][NX][NY], g[9][NX][NY];
static double tau = 0.6, lid = 0.1;

static void init(void)
{
    static const double w[9] = { 4./9, 1./9, 1./9, 1./9, 1./9, 1./36, 1./36, 1./36, 1./36 };

    for (int k = 0; k < 9; k++)
        for (int i = 0; i < NX; i++)
            for (int j = 0; j < NY; j++)
                f[k][i][j] = g[k][i][j] = w[k];
}

static void step(void)
{
    /* pull, then collide */
    for (int i = 1; i < NX - 1; i++) {
        for (int j = 1; j < NY - 1; j++) {
            double f0 = f[0][i][j];
            double f1 = f[1][i - 1][j], f2 = f[2][i][j - 1], f3 = f[3][i + 1][j], f4 = f[4][i][j + 1];
            double f5 = f[5][i - 1][j - 1], f6 = f[6][i + 1][j - 1], f7 = f[7][i + 1][j + 1], f8 = f[8][i - 1][j + 1];
            double rho = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8;
            double ux = (f1 + f5 + f8 - f3 - f6 - f7) / rho;
            double uy = (f2 + f5 + f6 - f4 - f7 - f8) / rho;
            double uu = 1.0 - 1.5 * (ux * ux + uy * uy);
            double a = ux + uy, b = uy - ux, om = 1.0 / tau;

            g[0][i][j] = f0 + om * (4. / 9 * rho * uu - f0);
            g[1][i][j] = f1 + om * (1. / 9 * rho * (uu + 3 * ux + 4.5 * ux * ux) - f1);
            g[2][i][j] = f2 + om * (1. / 9 * rho * (uu + 3 * uy + 4.5 * uy * uy) - f2);
            g[3][i][j] = f3 + om * (1. / 9 * rho * (uu - 3 * ux + 4.5 * ux * ux) - f3);
            g[4][i][j] = f4 + om * (1. / 9 * rho * (uu - 3 * uy + 4.5 * uy * uy) - f4);
            g[5][i][j] = f5 + om * (1. / 36 * rho * (uu + 3 * a + 4.5 * a * a) - f5);
            g[6][i][j] = f6 + om * (1. / 36 * rho * (uu + 3 * b + 4.5 * b * b) - f6);
            g[7][i][j] = f7 + om * (1. / 36 * rho * (uu - 3 * a + 4.5 * a * a) - f7);
            g[8][i][j] = f8 + om * (1. / 36 * rho * (uu - 3 * b + 4.5 * b * b) - f8);
        }
    }
    /* full-way bounce back in the walls, the lid moves to the right */
    for (int i = 1; i < NX - 1; i++) {
        g[2][i][0] = f[4][i][1];
        g[5][i][0] = f[7][i + 1][1];
        g[6][i][0] = f[8][i - 1][1];
        g[4][i][NY - 1] = f[2][i][NY - 2];
        g[7][i][NY - 1] = f[5][i - 1][NY - 2] - lid / 6.0;
        g[8][i][NY - 1] = f[6][i + 1][NY - 2] + lid / 6.0;
    }
    for (int j = 1; j < NY - 1; j++) {
        g[1][0][j] = f[3][1][j];
        g[5][0][j] = f[7][1][j + 1];
        g[8][0][j] = f[6][1][j - 1];
        g[3][NX - 1][j] = f[1][NX - 2][j];
        g[6][NX - 1][j] = f[8][NX - 2][j + 1];
        g[7][NX - 1][j] = f[5][NX - 2][j - 1];
    }
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 20;

    init();
    for (int t = 0; t < steps; t++) {
        step();
        for (int k = 0; k < 9; k++)
            for (int i = 0; i < NX; i++)
                for (int j = 0; j < NY; j++)
                    f[k][i][j] = g[k][i][j];
    }
    double mass = 0;
    for (int k = 0; k < 9; k++)
        for (int i = 1; i < NX - 1; i++)
            for (int j = 1; j < NY - 1; j++)
                mass += f[k][i][j];
    printf("mass %.12f f8 %.15f\n", mass, f[8][NX / 2][NY - 2]);
    return 0;
}
