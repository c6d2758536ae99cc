/* Kuramoto-Sivashinsky in one dimension, fourth derivative, periodic by % */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define N 256

double u[N], du[N];
double dx, dt = 0.0005;

void rhs(void) {
    int i;
    double ux, uxx, uxxxx;
    for (i = 0; i < N; i++) {
        ux = (u[(i+1)%N] - u[(i+N-1)%N]) / (2*dx);
        uxx = (u[(i+1)%N] - 2*u[i] + u[(i+N-1)%N]) / (dx*dx);
        uxxxx = (u[(i+2)%N] - 4*u[(i+1)%N] + 6*u[i] - 4*u[(i+N-1)%N] + u[(i+N-2)%N]) / (dx*dx*dx*dx);
        du[i] = -u[i]*ux - uxx - uxxxx;
    }
}

void euler(void) {
    int i;
    for (i = 0; i < N; i++)
        u[i] += dt*du[i];
}

int main(int argc, char **argv) {
    int steps = 300, s, i;
    double L = 32*M_PI;

    if (argc > 1)
        steps = atoi(argv[1]);
    dx = L/N;
    for (i = 0; i < N; i++) {
        double x = i*dx;
        u[i] = cos(x/16)*(1 + sin(x/16));
    }
    for (s = 0; s < steps; s++) {
        rhs();
        euler();
    }
    double mean = 0, rms = 0;
    for (i = 0; i < N; i++) {
        mean += u[i];
        rms += u[i]*u[i];
    }
    printf("mean %.12e rms %.12e\n", mean/N, sqrt(rms/N));
    for (i = 0; i < N; i += 32)
        printf("%3d %.12f\n", i, u[i]);
    /* where it crosses zero */
    int crossings = 0;
    for (i = 0; i < N; i++)
        if (u[i]*u[(i+1)%N] < 0)
            crossings++;
    printf("%d crossings\n", crossings);
    return 0;
}
