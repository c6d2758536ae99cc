/* Heat in a block: the new temperatures are put one after the other into a buffer and taken out again. */
#include <stdio.h>
#include <stdlib.h>

#define NX 22
#define NY 18
#define NZ 20

static double u[NX][NY][NZ];

static double heat_content(void)
{
	double sum = 0.0;
	int i, j, k;

	for (i = 0; i < NX; i++)
		for (j = 0; j < NY; j++)
			for (k = 0; k < NZ; k++)
				sum += u[i][j][k];
	return sum;
}

int main(void)
{
	double *buffer = malloc((NX - 2) * (NY - 2) * (NZ - 2) * sizeof(double));
	int i, j, k, step, idx;

	for (i = 0; i < NX; i++)
		for (j = 0; j < NY; j++)
			for (k = 0; k < NZ; k++)
				u[i][j][k] = i == 0 ? 100.0 : (i * 7 + j * 3 + k) % 11;

	for (step = 1; step <= 30; step++) {
		idx = 0;
		for (i = 1; i < NX - 1; i++)
			for (j = 1; j < NY - 1; j++)
				for (k = 1; k < NZ - 1; k++)
					buffer[idx++] = u[i][j][k] + 0.1 * (u[i - 1][j][k] + u[i + 1][j][k]
						+ u[i][j - 1][k] + u[i][j + 1][k] + u[i][j][k - 1] + u[i][j][k + 1]
						- 6.0 * u[i][j][k]);

		idx = 0;
		for (i = 1; i < NX - 1; i++)
			for (j = 1; j < NY - 1; j++)
				for (k = 1; k < NZ - 1; k++) {
					u[i][j][k] = buffer[idx];
					idx++;
				}

		if (step % 10 == 0)
			printf("step %d: %.10f\n", step, heat_content());
	}
	printf("%.10f %.10f\n", u[1][1][1], u[NX / 2][NY / 2][NZ / 2]);
	free(buffer);
	return 0;
}
