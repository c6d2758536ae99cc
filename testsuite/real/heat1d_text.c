/* Heat in a rod. C89, writes a table every so many steps. */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define PI 3.14159265358979323846

double exact(x, t, alpha)
double x, t, alpha;
{
	return sin(PI * x) * exp(-alpha * PI * PI * t);
}

int main(argc, argv)
int argc;
char *argv[];
{
	int i, k, n, nsteps, every;
	double *u, *unew;
	double dx, dt, alpha, r, t, err;

	n = 201;
	nsteps = 500;
	every = 125;
	alpha = 0.1;
	if (argc > 1)
		n = atoi(argv[1]);
	if (argc > 2)
		nsteps = atoi(argv[2]);

	u = (double *) malloc((unsigned) n * sizeof(double));
	unew = (double *) malloc((unsigned) n * sizeof(double));
	if (u == NULL || unew == NULL) {
		fprintf(stderr, "out of memory\n");
		exit(1);
	}

	dx = 1.0 / (n - 1);
	dt = 0.4 * dx * dx / alpha;
	r = alpha * dt / (dx * dx);
	for (i = 0; i < n; i++)
		u[i] = sin(PI * i * dx);
	unew[0] = unew[n - 1] = 0.0;

	t = 0.0;
	for (k = 1; k <= nsteps; k++) {
		for (i = 1; i < n - 1; i++)
			unew[i] = u[i] + r * (u[i + 1] - 2.0 * u[i] + u[i - 1]);
		for (i = 1; i < n - 1; i++)
			u[i] = unew[i];
		t = t + dt;
		if (k % every == 0) {
			err = 0.0;
			for (i = 0; i < n; i++)
				if (fabs(u[i] - exact(i * dx, t, alpha)) > err)
					err = fabs(u[i] - exact(i * dx, t, alpha));
			printf("%6d  t = %10.7f  u(1/2) = %12.9f  error = %10.3e\n", k, t, u[n / 2], err);
		}
	}
	for (i = 0; i < n; i += n / 10)
		printf("%8.5f %12.9f\n", i * dx, u[i]);
	free(u);
	free(unew);
	return 0;
}
