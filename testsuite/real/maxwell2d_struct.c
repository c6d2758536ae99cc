/* Maxwell's equations, TE, an array of structs of the three components. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct { float ex, ey, hz; } Cell;

#define NX 80
#define NY 60

Cell cells[NX][NY];
float eps[NX][NY];

void InitMedium(void)
{
	int i, j;

	for (i = 0; i < NX; ++i)
		for (j = 0; j < NY; ++j)
			eps[i][j] = (i > NX / 2 && j > NY / 4 && j < 3 * NY / 4) ? 4.0f : 1.0f;
}

void StepE(float c)
{
	int i, j;

	for (i = 0; i < NX; ++i)
		for (j = 1; j < NY; ++j)
			cells[i][j].ex += c / eps[i][j] * (cells[i][j].hz - cells[i][j - 1].hz);
	for (i = 1; i < NX; ++i)
		for (j = 0; j < NY; ++j)
			cells[i][j].ey -= c / eps[i][j] * (cells[i][j].hz - cells[i - 1][j].hz);
}

void StepH(float c)
{
	int i, j;

	for (i = 0; i < NX - 1; ++i)
		for (j = 0; j < NY - 1; ++j)
			cells[i][j].hz += c * ((cells[i][j + 1].ex - cells[i][j].ex) - (cells[i + 1][j].ey - cells[i][j].ey));
}

float Energy(void)
{
	double sum = 0;
	int i, j;

	for (i = 0; i < NX; ++i)
		for (j = 0; j < NY; ++j)
			sum += eps[i][j] * (cells[i][j].ex * cells[i][j].ex + cells[i][j].ey * cells[i][j].ey)
				+ cells[i][j].hz * cells[i][j].hz;
	return (float)(0.5 * sum);
}

int main(int argc, char **argv)
{
	int t, steps = argc > 1 ? atoi(argv[1]) : 60;
	float c = 0.5f;

	InitMedium();
	for (t = 0; t < steps; ++t) {
		StepE(c);
		StepH(c);
		cells[NX / 4][NY / 2].hz += sinf(0.2f * t);
		if ((t + 1) % 20 == 0)
			printf("%4d %.7e\n", t + 1, Energy());
	}
	printf("probe %.7e\n", cells[NX / 2][NY / 2].hz);
	return 0;
}
