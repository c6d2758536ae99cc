/* 2D shallow water on a staggered grid, periodic by modulo, forward-backward scheme. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NX 50
#define NY 40

static float h[NX][NY], u[NX][NY], v[NX][NY];

static void step(float dt, float dx, float g, float depth)
{
	int i, j;

	for (i = 0; i < NX; i++) {
		for (j = 0; j < NY; j++) {
			int ip = (i + 1) % NX;
			int jp = (j + 1) % NY;

			u[i][j] -= dt / dx * g * (h[ip][j] - h[i][j]);
			v[i][j] -= dt / dx * g * (h[i][jp] - h[i][j]);
		}
	}
	for (i = 0; i < NX; i++) {
		for (j = 0; j < NY; j++) {
			int im = (i - 1 + NX) % NX;
			int jm = (j - 1 + NY) % NY;

			h[i][j] -= dt / dx * depth * (u[i][j] - u[im][j] + v[i][j] - v[i][jm]);
		}
	}
}

int main(int argc, char **argv)
{
	int steps = 100, every = 25;
	float dt = 0.002f, dx = 0.1f;

	switch (argc) {
	case 3:
		every = atoi(argv[2]);
		/* fall through */
	case 2:
		steps = atoi(argv[1]);
		/* fall through */
	case 1:
		break;
	default:
		fprintf(stderr, "usage: %s [steps [every]]\n", argv[0]);
		return 2;
	}

	for (int i = 0; i < NX; i++)
		for (int j = 0; j < NY; j++) {
			float x = i - NX / 2, y = j - NY / 2;
			h[i][j] = 0.5f * expf(-(x * x + y * y) / 20.0f);
		}

	for (int n = 1; n <= steps; n++) {
		step(dt, dx, 9.81f, 1.0f);
		if (n % every == 0) {
			double mass = 0;
			float top = -1e30f;

			for (int i = 0; i < NX; i++)
				for (int j = 0; j < NY; j++) {
					mass += h[i][j];
					if (h[i][j] > top)
						top = h[i][j];
				}
			printf("%5d mass %.9g highest %.9g\n", n, mass, top);
		}
	}
	return 0;
}
