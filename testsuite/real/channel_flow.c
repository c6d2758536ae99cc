/* Incompressible flow in a channel, periodic in x, pressure by nested iterations; arrays [NY][NX] as parameters. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>

#define NX 41
#define NY 31
#define NIT 12

typedef double Field[NY][NX];

static Field u, v, p, un, vn, pn, b;

static void build_up_b(Field b, double rho, double dt, Field u, Field v, double dx, double dy)
{
    for (int j = 1; j < NY - 1; j++)
        for (int i = 0; i < NX; i++) {
            int e = i == NX - 1 ? 0 : i + 1, w = i == 0 ? NX - 1 : i - 1;
            double ux = (u[j][e] - u[j][w]) / (2 * dx);
            double vy = (v[j + 1][i] - v[j - 1][i]) / (2 * dy);
            double uy = (u[j + 1][i] - u[j - 1][i]) / (2 * dy);
            double vx = (v[j][e] - v[j][w]) / (2 * dx);

            b[j][i] = rho * (1 / dt * (ux + vy) - ux * ux - 2 * (uy * vx) - vy * vy);
        }
}

static void pressure_poisson(Field p, double dx, double dy, Field b)
{
    for (int q = 0; q < NIT; q++) {
        memcpy(pn, p, sizeof(Field));
        for (int j = 1; j < NY - 1; j++)
            for (int i = 0; i < NX; i++) {
                int e = i == NX - 1 ? 0 : i + 1, w = i == 0 ? NX - 1 : i - 1;

                p[j][i] = ((pn[j][e] + pn[j][w]) * dy * dy + (pn[j + 1][i] + pn[j - 1][i]) * dx * dx)
                    / (2 * (dx * dx + dy * dy)) - dx * dx * dy * dy / (2 * (dx * dx + dy * dy)) * b[j][i];
            }
        for (int i = 0; i < NX; i++) {
            p[NY - 1][i] = p[NY - 2][i];
            p[0][i] = p[1][i];
        }
    }
}

int main(int argc, char **argv)
{
    double dx = 2.0 / (NX - 1), dy = 2.0 / (NY - 1), rho = 1, nu = 0.1, F = 1, dt = 0.005;
    double udiff = 1, sum, sumn;
    int stepcount = 0, most = argc > 1 ? atoi(argv[1]) : 25;

    while (udiff > 0.001 && stepcount < most) {
        memcpy(un, u, sizeof(Field));
        memcpy(vn, v, sizeof(Field));
        build_up_b(b, rho, dt, u, v, dx, dy);
        pressure_poisson(p, dx, dy, b);
        for (int j = 1; j < NY - 1; j++)
            for (int i = 0; i < NX; i++) {
                int e = i == NX - 1 ? 0 : i + 1, w = i == 0 ? NX - 1 : i - 1;

                u[j][i] = un[j][i] - un[j][i] * dt / dx * (un[j][i] - un[j][w])
                    - vn[j][i] * dt / dy * (un[j][i] - un[j - 1][i])
                    - dt / (2 * rho * dx) * (p[j][e] - p[j][w])
                    + nu * (dt / (dx * dx) * (un[j][e] - 2 * un[j][i] + un[j][w])
                            + dt / (dy * dy) * (un[j + 1][i] - 2 * un[j][i] + un[j - 1][i])) + F * dt;
                v[j][i] = vn[j][i] - un[j][i] * dt / dx * (vn[j][i] - vn[j][w])
                    - vn[j][i] * dt / dy * (vn[j][i] - vn[j - 1][i])
                    - dt / (2 * rho * dy) * (p[j + 1][i] - p[j - 1][i])
                    + nu * (dt / (dx * dx) * (vn[j][e] - 2 * vn[j][i] + vn[j][w])
                            + dt / (dy * dy) * (vn[j + 1][i] - 2 * vn[j][i] + vn[j - 1][i]));
            }
        for (int i = 0; i < NX; i++)
            u[0][i] = u[NY - 1][i] = v[0][i] = v[NY - 1][i] = 0;
        sum = sumn = 0;
        for (int j = 0; j < NY; j++)
            for (int i = 0; i < NX; i++) {
                sum += u[j][i];
                sumn += un[j][i];
            }
        udiff = (sum - sumn) / sum;
        stepcount += 1;
    }
    printf("%d steps, udiff %.10e, u in the middle %.12f\n", stepcount, udiff, u[NY / 2][NX / 2]);
    return 0;
}
