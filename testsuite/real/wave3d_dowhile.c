/* 3D wave equation with static arrays; runs until a time is reached (do .. while). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>

enum { NX = 26, NY = 28, NZ = 30 };

static double a[NX][NY][NZ], b[NX][NY][NZ], c[NX][NY][NZ];

int main(int argc, char **argv)
{
	double t = 0.0, t_end = 0.6, dx = 1.0 / (NX - 1), dt = 0.5 * dx, k = dt * dt / (dx * dx);
	int steps = 0;

	if (argc > 1)
		t_end = strtod(argv[1], NULL);

	for (int x = 1; x < NX - 1; x++)
		for (int y = 1; y < NY - 1; y++)
			for (int z = 1; z < NZ - 1; z++)
				b[x][y][z] = sin(M_PI * x / (NX - 1)) * sin(M_PI * y / (NY - 1)) * sin(M_PI * z / (NZ - 1));
	memcpy(a, b, sizeof a);

	do {
		for (int x = 1; x < NX - 1; x++)
			for (int y = 1; y < NY - 1; y++)
				for (int z = 1; z < NZ - 1; z++)
					c[x][y][z] = 2.0 * b[x][y][z] - a[x][y][z]
						+ k * (b[x - 1][y][z] + b[x + 1][y][z] + b[x][y - 1][z] + b[x][y + 1][z]
						       + b[x][y][z - 1] + b[x][y][z + 1] - 6.0 * b[x][y][z]);
		memcpy(a, b, sizeof a);
		memcpy(b, c, sizeof b);
		t += dt;
		++steps;
	} while (t < t_end);

	double most = 0.0, squares = 0.0;
	for (int x = 0; x < NX; x++)
		for (int y = 0; y < NY; y++)
			for (int z = 0; z < NZ; z++) {
				most = fmax(most, fabs(b[x][y][z]));
				squares += b[x][y][z] * b[x][y][z];
			}
	printf("steps %d, t %.9f\n", steps, t);
	printf("max |u| %.15f, rms %.15f\n", most, sqrt(squares / (NX * NY * NZ)));
	printf("centre %.15f\n", b[NX / 2][NY / 2][NZ / 2]);
	printf("next to the wall %.15f\n", b[1][1][1]);
	return 0;
}
