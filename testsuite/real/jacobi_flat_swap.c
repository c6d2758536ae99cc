// 2-D Laplace solver, flat arrays, pointer swap.
// usage: jacobi_flat_swap [n] [steps]
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

#define IDX(i, j) ((i) * n + (j))

static double now(void)
{
	struct timeval tv;

	gettimeofday(&tv, NULL);
	return tv.tv_sec + 1e-6 * tv.tv_usec;
}

static void init(double *a, double *b, int n)
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			a[IDX(i, j)] = 0.0;
	for (int j = 0; j < n; j++) {
		a[IDX(0, j)] = 1.0;
		a[IDX(n - 1, j)] = (double)j / n;
	}
	for (int k = 0; k < n * n; k++)
		b[k] = a[k];
}

static double checksum(const double *a, int n)
{
	double s = 0;

	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			s += a[IDX(i, j)] * ((i * 7 + j) % 13);
	return s;
}

int main(int argc, char **argv)
{
	int n = 64, steps = 100;
	double *cur, *next, *tmp, start, end;

	if (argc > 1)
		n = atoi(argv[1]);
	if (argc > 2)
		steps = atoi(argv[2]);
	if (n < 3 || steps < 0) {
		fprintf(stderr, "usage: %s [n >= 3] [steps >= 0]\n", argv[0]);
		return EXIT_FAILURE;
	}

	cur = malloc(n * n * sizeof(*cur));
	next = malloc(n * n * sizeof(*next));
	if (cur == NULL || next == NULL) {
		fprintf(stderr, "out of memory\n");
		return EXIT_FAILURE;
	}
	init(cur, next, n);

	start = now();
	for (int t = 0; t < steps; t++) {
		for (int i = 1; i < n - 1; i++)
			for (int j = 1; j < n - 1; j++)
				next[IDX(i, j)] = 0.25 * (cur[IDX(i - 1, j)] + cur[IDX(i + 1, j)]
							  + cur[IDX(i, j - 1)] + cur[IDX(i, j + 1)]);
		tmp = cur;
		cur = next;
		next = tmp;
	}
	end = now();

	fprintf(stderr, "time: %f s\n", end - start);
	printf("n = %d, steps = %d\n", n, steps);
	printf("checksum %.15e\n", checksum(cur, n));
	printf("corner   %.15e\n", cur[IDX(1, 1)]);
	free(cur);
	free(next);
	return 0;
}
