/* D2Q9 lattice Boltzmann, Taylor-Green vortex, periodic, flat arrays */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const int NX = 32, NY = 32;
const int ndir = 9;
const double w0 = 4.0 / 9.0, ws = 1.0 / 9.0, wd = 1.0 / 36.0;
const double wi[] = { 4.0/9, 1.0/9, 1.0/9, 1.0/9, 1.0/9, 1.0/36, 1.0/36, 1.0/36, 1.0/36 };
const int dirx[] = { 0, 1, 0, -1, 0, 1, -1, -1, 1 };
const int diry[] = { 0, 0, 1, 0, -1, 1, 1, -1, -1 };
const double nu = 1.0 / 6.0;
const double u_max = 0.04;

static inline size_t scalar_index(unsigned int x, unsigned int y)
{
    return NX * y + x;
}

static inline size_t field_index(unsigned int x, unsigned int y, unsigned int d)
{
    return NX * (NY * d + y) + x;
}

void taylor_green(double *r, double *u, double *v)
{
    double kx = 2.0 * M_PI / NX, ky = 2.0 * M_PI / NY;

    for (int y = 0; y < NY; ++y)
        for (int x = 0; x < NX; ++x) {
            size_t s = scalar_index(x, y);
            u[s] = -u_max * sqrt(ky / kx) * cos(kx * (x + 0.5)) * sin(ky * (y + 0.5));
            v[s] = u_max * sqrt(kx / ky) * sin(kx * (x + 0.5)) * cos(ky * (y + 0.5));
            r[s] = 1.0;
        }
}

void init_equilibrium(double *f, double *r, double *u, double *v)
{
    for (int y = 0; y < NY; ++y)
        for (int x = 0; x < NX; ++x) {
            double rho = r[scalar_index(x, y)];
            double ux = u[scalar_index(x, y)];
            double uy = v[scalar_index(x, y)];
            for (int i = 0; i < ndir; ++i) {
                double cidotu = dirx[i] * ux + diry[i] * uy;
                f[field_index(x, y, i)] = wi[i] * rho * (1.0 + 3.0 * cidotu + 4.5 * cidotu * cidotu - 1.5 * (ux * ux + uy * uy));
            }
        }
}

void stream(double *f_src, double *f_dst)
{
    for (int y = 0; y < NY; ++y)
        for (int x = 0; x < NX; ++x)
            for (int i = 0; i < ndir; ++i) {
                // periodic in both directions
                unsigned int xmd = (NX + x - dirx[i]) % NX;
                unsigned int ymd = (NY + y - diry[i]) % NY;
                f_dst[field_index(x, y, i)] = f_src[field_index(xmd, ymd, i)];
            }
}

void compute_rho_u(double *f, double *r, double *u, double *v)
{
    for (int y = 0; y < NY; ++y)
        for (int x = 0; x < NX; ++x) {
            double rho = 0.0, ux = 0.0, uy = 0.0;
            for (int i = 0; i < ndir; ++i) {
                rho += f[field_index(x, y, i)];
                ux += dirx[i] * f[field_index(x, y, i)];
                uy += diry[i] * f[field_index(x, y, i)];
            }
            r[scalar_index(x, y)] = rho;
            u[scalar_index(x, y)] = ux / rho;
            v[scalar_index(x, y)] = uy / rho;
        }
}

void collide(double *f, double *r, double *u, double *v)
{
    const double tauinv = 2.0 / (6.0 * nu + 1.0);
    const double omtauinv = 1.0 - tauinv;

    for (int y = 0; y < NY; ++y)
        for (int x = 0; x < NX; ++x) {
            double rho = r[scalar_index(x, y)];
            double ux = u[scalar_index(x, y)];
            double uy = v[scalar_index(x, y)];
            for (int i = 0; i < ndir; ++i) {
                double cidotu = dirx[i] * ux + diry[i] * uy;
                double feq = wi[i] * rho * (1.0 + 3.0 * cidotu + 4.5 * cidotu * cidotu - 1.5 * (ux * ux + uy * uy));
                f[field_index(x, y, i)] = omtauinv * f[field_index(x, y, i)] + tauinv * feq;
            }
        }
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 20;
    size_t mem_size_ndir = sizeof(double) * NX * NY * ndir;
    size_t mem_size_scalar = sizeof(double) * NX * NY;
    double *f1 = malloc(mem_size_ndir), *f2 = malloc(mem_size_ndir);
    double *rho = malloc(mem_size_scalar), *ux = malloc(mem_size_scalar), *uy = malloc(mem_size_scalar);

    taylor_green(rho, ux, uy);
    init_equilibrium(f1, rho, ux, uy);

    for (int n = 0; n < steps; ++n) {
        stream(f1, f2);
        compute_rho_u(f2, rho, ux, uy);
        collide(f2, rho, ux, uy);

        double *temp = f1;
        f1 = f2;
        f2 = temp;
    }

    double e = 0.0;
    for (int s = 0; s < NX * NY; s++)
        e += rho[s] * (ux[s] * ux[s] + uy[s] * uy[s]);
    printf("kinetic energy after %d steps: %.9e\n", steps, e);
    free(f1); free(f2); free(rho); free(ux); free(uy);
    return 0;
}
