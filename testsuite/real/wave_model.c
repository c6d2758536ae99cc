/* Waves in a model of speeds: an index function of the struct with all sizes, a source, and damped sides. */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

typedef struct {
    int nz, nx, nt;
    float dz, dx, dt, fpeak;
    int sx, sz;
} sim_t;

static inline int at(const sim_t *s, int iz, int ix) { return ix * s->nz + iz; }

static float ricker(float t, float f)
{
    float a = 3.1415927f * f * (t - 1.0f / f);
    a *= a;
    return (1.0f - 2.0f * a) * expf(-a);
}

static void forward(const sim_t *s, float *p0, float *p1, const float *vel, const float *damp)
{
    for (int it = 0; it < s->nt; it++) {
        for (int ix = 2; ix < s->nx - 2; ix++) {
            for (int iz = 2; iz < s->nz - 2; iz++) {
                float lap = (-p1[at(s, iz - 2, ix)] + 16 * p1[at(s, iz - 1, ix)] - 30 * p1[at(s, iz, ix)]
                           + 16 * p1[at(s, iz + 1, ix)] - p1[at(s, iz + 2, ix)]) / (12 * s->dz * s->dz)
                          + (-p1[at(s, iz, ix - 2)] + 16 * p1[at(s, iz, ix - 1)] - 30 * p1[at(s, iz, ix)]
                           + 16 * p1[at(s, iz, ix + 1)] - p1[at(s, iz, ix + 2)]) / (12 * s->dx * s->dx);
                float v = vel[at(s, iz, ix)] * s->dt;
                p0[at(s, iz, ix)] = 2 * p1[at(s, iz, ix)] - p0[at(s, iz, ix)] + v * v * lap;
            }
        }
        p0[at(s, s->sz, s->sx)] += s->dt * s->dt * ricker(it * s->dt, s->fpeak) * 1e4f;
        for (int ix = 0; ix < s->nx; ix++)
            for (int iz = 0; iz < s->nz; iz++) {
                p0[at(s, iz, ix)] *= damp[at(s, iz, ix)];
                p1[at(s, iz, ix)] *= damp[at(s, iz, ix)];
            }
        float *tmp = p0;
        p0 = p1;
        p1 = tmp;
    }
}

int main(void)
{
    sim_t s = {60, 52, 80, 10.0f, 10.0f, 0.001f, 15.0f, 26, 20};
    int n = s.nx * s.nz;
    float *p0 = calloc(n, sizeof *p0), *p1 = calloc(n, sizeof *p1);
    float *vel = malloc(n * sizeof *vel), *damp = malloc(n * sizeof *damp);
    for (int ix = 0; ix < s.nx; ix++)
        for (int iz = 0; iz < s.nz; iz++) {
            vel[at(&s, iz, ix)] = iz > 30 ? 2500.0f : 1500.0f;
            int d = ix < 10 ? 10 - ix : ix >= s.nx - 10 ? ix - s.nx + 11 : 0;
            damp[at(&s, iz, ix)] = expf(-0.0004f * d * d);
        }
    forward(&s, p0, p1, vel, damp);
    double e = 0;
    for (int i = 0; i < n; i++)
        e += p0[i] * p0[i];
    printf("%.9e %.9e\n", e, (double)p1[at(&s, 20, 20)]);
    return 0;
}
