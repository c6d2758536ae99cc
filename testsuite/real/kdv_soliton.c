/* Korteweg-de Vries by the scheme of Zabusky and Kruskal: leapfrog, three arrays that rotate. */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

static double sech2(double x)
{
	double c = cosh(x);

	return 1.0 / (c * c);
}

static void first_step(int n, double *new, const double *old, double dt, double dx)
{
	int i;

	for (i = 0; i < n; i++) {
		int l = (i + n - 1) % n, ll = (i + n - 2) % n, r = (i + 1) % n, rr = (i + 2) % n;

		new[i] = old[i] - dt / dx * (old[r] + old[i] + old[l]) * (old[r] - old[l])
			- 0.5 * dt / (dx * dx * dx) * (old[rr] - 2.0 * old[r] + 2.0 * old[l] - old[ll]);
	}
}

int main(int argc, char *argv[])
{
	int n = 200, steps = 400, i, k;
	double length = 40.0, dx, dt, c = 2.0;
	double *past, *present, *future, *hold;
	double mass = 0.0, momentum = 0.0;

	if (argc > 1)
		steps = atoi(argv[1]);
	dx = length / n;
	dt = 0.1 * dx * dx * dx;
	past = malloc(n * sizeof *past);
	present = malloc(n * sizeof *present);
	future = malloc(n * sizeof *future);
	if (past == NULL || present == NULL || future == NULL) {
		fprintf(stderr, "%s: out of memory\n", argv[0]);
		return 1;
	}

	for (i = 0; i < n; i++)
		past[i] = 0.5 * c * sech2(0.5 * sqrt(c) * (i * dx - length / 2));
	first_step(n, present, past, dt, dx);

	for (k = 1; k < steps; k++) {
		for (i = 0; i < n; i++) {
			int l = (i + n - 1) % n, ll = (i + n - 2) % n, r = (i + 1) % n, rr = (i + 2) % n;

			future[i] = past[i]
				- 2.0 * dt / dx * (present[r] + present[i] + present[l]) * (present[r] - present[l])
				- dt / (dx * dx * dx) * (present[rr] - 2.0 * present[r] + 2.0 * present[l] - present[ll]);
		}
		hold = past;
		past = present;
		present = future;
		future = hold;
	}

	for (i = 0; i < n; i++) {
		mass += present[i] * dx;
		momentum += present[i] * present[i] * dx;
	}
	printf("t = %.9f mass = %.12f momentum = %.12f\n", k * dt, mass, momentum);
	for (i = 0; i < n; i += 20)
		printf("%6.2f %.12f\n", i * dx, present[i]);
	free(past);
	free(present);
	free(future);
	return 0;
}
