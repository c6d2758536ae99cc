/* Smoke in a box: diffusion by Jacobi, advection back along the flow, walls set by a function. */
#include <stdio.h>
#include <stdlib.h>

#define N 46
#define SIZE ((N + 2) * (N + 2))
#define IX(i, j) ((i) + (N + 2) * (j))
#define SWAP(x0, x) { float *tmp = x0; x0 = x; x = tmp; }

static float *u, *v, *dens, *dens_prev, *work;

static void set_bnd(int b, float *x)
{
	int i;

	for (i = 1; i <= N; i++) {
		x[IX(0, i)] = b == 1 ? -x[IX(1, i)] : x[IX(1, i)];
		x[IX(N + 1, i)] = b == 1 ? -x[IX(N, i)] : x[IX(N, i)];
		x[IX(i, 0)] = b == 2 ? -x[IX(i, 1)] : x[IX(i, 1)];
		x[IX(i, N + 1)] = b == 2 ? -x[IX(i, N)] : x[IX(i, N)];
	}
	x[IX(0, 0)] = 0.5f * (x[IX(1, 0)] + x[IX(0, 1)]);
	x[IX(0, N + 1)] = 0.5f * (x[IX(1, N + 1)] + x[IX(0, N)]);
	x[IX(N + 1, 0)] = 0.5f * (x[IX(N, 0)] + x[IX(N + 1, 1)]);
	x[IX(N + 1, N + 1)] = 0.5f * (x[IX(N, N + 1)] + x[IX(N + 1, N)]);
}

static void diffuse(int b, float *x, const float *x0, float diff, float dt)
{
	float a = dt * diff * N * N;
	int i, j, k;

	for (k = 0; k < 10; k++) {
		for (i = 1; i <= N; i++)
			for (j = 1; j <= N; j++)
				work[IX(i, j)] = (x0[IX(i, j)] + a * (x[IX(i - 1, j)] + x[IX(i + 1, j)]
							+ x[IX(i, j - 1)] + x[IX(i, j + 1)])) / (1 + 4 * a);
		for (i = 1; i <= N; i++)
			for (j = 1; j <= N; j++)
				x[IX(i, j)] = work[IX(i, j)];
		set_bnd(b, x);
	}
}

static void advect(int b, float *d, const float *d0, const float *u, const float *v, float dt)
{
	int i, j, i0, j0, i1, j1;
	float x, y, s0, t0, s1, t1, dt0 = dt * N;

	for (i = 1; i <= N; i++)
		for (j = 1; j <= N; j++) {
			x = i - dt0 * u[IX(i, j)];
			y = j - dt0 * v[IX(i, j)];
			if (x < 0.5f) x = 0.5f;
			if (x > N + 0.5f) x = N + 0.5f;
			i0 = (int)x;
			i1 = i0 + 1;
			if (y < 0.5f) y = 0.5f;
			if (y > N + 0.5f) y = N + 0.5f;
			j0 = (int)y;
			j1 = j0 + 1;
			s1 = x - i0;
			s0 = 1 - s1;
			t1 = y - j0;
			t0 = 1 - t1;
			d[IX(i, j)] = s0 * (t0 * d0[IX(i0, j0)] + t1 * d0[IX(i0, j1)])
				+ s1 * (t0 * d0[IX(i1, j0)] + t1 * d0[IX(i1, j1)]);
		}
	set_bnd(b, d);
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 10, i, j, s;
	double total = 0;

	u = calloc(SIZE, sizeof(float));
	v = calloc(SIZE, sizeof(float));
	dens = calloc(SIZE, sizeof(float));
	dens_prev = calloc(SIZE, sizeof(float));
	work = calloc(SIZE, sizeof(float));
	if (!u || !v || !dens || !dens_prev || !work)
		return 1;
	for (i = 1; i <= N; i++)
		for (j = 1; j <= N; j++) {
			u[IX(i, j)] = 0.5f * (N / 2 - j) / N;
			v[IX(i, j)] = 0.5f * (i - N / 2) / N;
		}
	for (s = 0; s < steps; s++) {
		dens[IX(N / 4, N / 2)] += 10.0f;
		SWAP(dens_prev, dens);
		diffuse(0, dens, dens_prev, 0.0002f, 0.1f);
		SWAP(dens_prev, dens);
		advect(0, dens, dens_prev, u, v, 0.1f);
	}
	for (i = 0; i < SIZE; i++)
		total += dens[i];
	printf("total %.9f at the source %.9f\n", total, dens[IX(N / 4, N / 2)]);
	free(u); free(v); free(dens); free(dens_prev); free(work);
	return 0;
}
