/* P-SV elastic waves, velocity-stress, staggered, 4th order in space (Virieux/Levander). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NX 72
#define NZ 64
#define C1 (9.0f / 8.0f)
#define C2 (-1.0f / 24.0f)

static float vx[NX][NZ], vz[NX][NZ], txx[NX][NZ], tzz[NX][NZ], txz[NX][NZ];
static float lam[NX][NZ], mu[NX][NZ], rho[NX][NZ], taper[NX][NZ];

static void model(void)
{
    int i, k;

    for (i = 0; i < NX; i++)
        for (k = 0; k < NZ; k++) {
            float vp = k < 30 ? 2000.f : 3000.f, vs = vp / 1.732f;
            int d = i < NX - 1 - i ? i : NX - 1 - i;

            rho[i][k] = k < 30 ? 2000.f : 2300.f;
            mu[i][k] = rho[i][k] * vs * vs;
            lam[i][k] = rho[i][k] * vp * vp - 2.f * mu[i][k];
            if (NZ - 1 - k < d)
                d = NZ - 1 - k;
            taper[i][k] = d < 10 ? expf(-0.0025f * (10 - d) * (10 - d)) : 1.f;
        }
}

int main(int argc, char **argv)
{
    const float dt = 0.001f, dh = 5.f;
    int nt = argc > 1 ? atoi(argv[1]) : 60, it, i, k;

    model();
    for (it = 0; it < nt; it++) {
        for (i = 2; i < NX - 2; i++)
            for (k = 2; k < NZ - 2; k++) {
                float dxx = C1 * (txx[i][k] - txx[i-1][k]) + C2 * (txx[i+1][k] - txx[i-2][k]);
                float dzx = C1 * (txz[i][k] - txz[i][k-1]) + C2 * (txz[i][k+1] - txz[i][k-2]);
                float dxz = C1 * (txz[i+1][k] - txz[i][k]) + C2 * (txz[i+2][k] - txz[i-1][k]);
                float dzz = C1 * (tzz[i][k+1] - tzz[i][k]) + C2 * (tzz[i][k+2] - tzz[i][k-1]);
                float b = dt / (dh * rho[i][k]);

                vx[i][k] = (vx[i][k] + b * (dxx + dzx)) * taper[i][k];
                vz[i][k] = (vz[i][k] + b * (dxz + dzz)) * taper[i][k];
            }

        for (i = 2; i < NX - 2; i++)
            for (k = 2; k < NZ - 2; k++) {
                float dvxx = C1 * (vx[i+1][k] - vx[i][k]) + C2 * (vx[i+2][k] - vx[i-1][k]);
                float dvzz = C1 * (vz[i][k] - vz[i][k-1]) + C2 * (vz[i][k+1] - vz[i][k-2]);
                float dvxz = C1 * (vx[i][k+1] - vx[i][k]) + C2 * (vx[i][k+2] - vx[i][k-1]);
                float dvzx = C1 * (vz[i][k] - vz[i-1][k]) + C2 * (vz[i+1][k] - vz[i-2][k]);
                float l = lam[i][k], m = mu[i][k];

                txx[i][k] = (txx[i][k] + dt / dh * ((l + 2 * m) * dvxx + l * dvzz)) * taper[i][k];
                tzz[i][k] = (tzz[i][k] + dt / dh * ((l + 2 * m) * dvzz + l * dvxx)) * taper[i][k];
                txz[i][k] = (txz[i][k] + dt / dh * m * (dvxz + dvzx)) * taper[i][k];
            }

        /* explosion */
        float a = 3.14159265f * 20.f * (it * dt - 0.03f);
        txx[NX / 2][20] += 1e6f * (1 - 2 * a * a) * expf(-a * a);
        tzz[NX / 2][20] += 1e6f * (1 - 2 * a * a) * expf(-a * a);
    }

    double sum = 0;
    for (i = 0; i < NX; i++)
        for (k = 0; k < NZ; k++)
            sum += fabs(vx[i][k]) + fabs(vz[i][k]);
    printf("nt = %d sum = %.9e\n", nt, sum);
    for (i = 10; i < NX; i += 10)
        printf("%d %.7e %.7e\n", i, vx[i][2], vz[i][2]);
    return 0;
}
