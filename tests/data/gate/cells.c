/* An array of structs at file scope, which kernels use by its name. */
#include <stdio.h>
#include <stdlib.h>

#define N 700

typedef struct { float e, h; } Cell;

static Cell cells[N][N];

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 4;
	float sum = 0;

	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			cells[i][j].e = cells[i][j].h = 0.001f * ((i * 7 + j) % 13);
	for (int t = 0; t < steps; t++) {
		for (int i = 0; i < N; i++)
			for (int j = 1; j < N; j++)
				cells[i][j].e += 0.5f * (cells[i][j].h - cells[i][j - 1].h);
		for (int i = 0; i < N - 1; i++)
			for (int j = 0; j < N; j++)
				cells[i][j].h += 0.5f * (cells[i + 1][j].e - cells[i][j].e);
		printf("%d %.9g\n", t, cells[N / 2][N / 2].e);
	}
	for (int i = 0; i < N; i++)
		sum += cells[i][i].h;
	printf("%.9g\n", sum);
	return 0;
}
