/* Two species on a torus: neighbours by variables that are set and then corrected at the ends, failures by a
 * macro that jumps over declarations, hints to the optimizer. */
#include <stdio.h>
#include <stdlib.h>

#define FAIL_TO(label) \
	do { \
		fprintf(stderr, "no memory\n"); \
		goto label; \
	} while (0)

static double reaction(double a, double b)
{
	double rate = 0.3;

	return rate * a * (1.0 - a) * b;
}

int main(int argc, char *argv[])
{
	int nx = 48, ny = 40, steps = 60;
	int i, j, t, ip, im, jp, jm, ij;
	double *a, *b, *lap;
	int status = 1;

	if (argc > 1)
		steps = atoi(argv[1]);
	a = malloc(nx * ny * sizeof(double));
	if (!a)
		FAIL_TO(end);
	b = malloc(nx * ny * sizeof(double));
	if (!b)
		FAIL_TO(free_a);
	lap = malloc(nx * ny * sizeof(double));
	if (!lap)
		FAIL_TO(free_b);

	double dx = 0.5, dt = 0.02;
	for (i = 0; i < nx; i++)
		for (j = 0; j < ny; j++) {
			a[i * ny + j] = (i * 5 + j * 3) % 17 / 17.0;
			b[i * ny + j] = (i + j * 2) % 7 / 7.0;
		}

	for (t = 0; t < steps; t++) {
		for (i = 0; i < nx; i++) {
			for (j = 0; j < ny; j++) {
				ij = i * ny + j;

				ip = i + 1;
				im = i - 1;
				jp = j + 1;
				jm = j - 1;
				if (ip == nx) {
					ip = 0;
				}
				if (im == -1) {
					im = (nx - 1);
				}
				if (jp == ny) {
					jp = 0;
				}
				if (jm == -1) {
					jm = (ny - 1);
				}

				double east = a[ip * ny + j], west = a[im * ny + j];
				double north = a[i * ny + jp], south = a[i * ny + jm];

				lap[ij] = (east + west + north + south - 4.0 * a[ij]) / (dx * dx);
			}
		}
		for (i = 0; i < nx; i++) {
#pragma GCC unroll 4
			for (j = 0; j < ny; j++) {
				ij = i * ny + j;
				__builtin_prefetch(&b[ij]);
				double r = reaction(a[ij], b[ij]);
				a[ij] = a[ij] + dt * (lap[ij] + r);
				b[ij] = b[ij] - dt * r;
				if (a[ij] > 0.9999) {
					a[ij] = 0.9999;
				}
			}
		}
		if (t % 20 == 0)
			printf("%d %.12f %.12f\n", t, a[0], b[nx * ny - 1]);
	}

	double total = 0.0;
	for (i = 0; i < nx * ny; i++)
		total += a[i] + b[i];
	printf("%.12f\n", total);
	status = 0;

	free(lap);
free_b:
	free(b);
free_a:
	free(a);
end:
	return status;
}
