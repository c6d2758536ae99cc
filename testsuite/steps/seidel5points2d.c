/* seidel5points2d: Gauss-Seidel in place, 5 points with a source: sweeps follow each other, 2 t + i + j.
 * hexcc-test: args=N,M,T run=2,3,2;3,3,1;3,4,3;4,3,2;5,9,4;9,5,7;12,12,0;20,17,5 warns=HX0203
 */
#include <stdio.h>
#include <stdlib.h>

static void seidel5points2d(int N, int M, int T, double u[N][M], double f[N][M])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < M - 1; j++)
        u[i][j] = 0.25 * (u[i-1][j] + u[i+1][j] + u[i][j-1] + u[i][j+1] - f[i][j]);
#pragma endscop
}

static void fill(void *data, size_t size)
{
  static unsigned state = 1;
  double *x = (double *)data;

  for (size_t i = 0; i < size / sizeof *x; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = ((state >> 8) | 1) / 16777216.0;
  }
}

static unsigned long long hash = 14695981039346656037ull;

static void add_to_hash(const void *data, size_t size)
{
  const unsigned char *byte = (const unsigned char *)data;

  for (size_t i = 0; i < size; i++)
    hash = (hash ^ byte[i]) * 1099511628211ull;
}

int main(int argc, char **argv)
{
  int N = argc > 1 ? atoi(argv[1]) : 10;
  int M = argc > 2 ? atoi(argv[2]) : 9;
  int T = argc > 3 ? atoi(argv[3]) : 5;
  double (*u)[M] = (double (*)[M])malloc(sizeof(double[N][M]));
  double (*f)[M] = (double (*)[M])malloc(sizeof(double[N][M]));

  fill(u, sizeof(double[N][M]));
  fill(f, sizeof(double[N][M]));
  seidel5points2d(N, M, T, u, f);
  add_to_hash(u, sizeof(double[N][M]));
  add_to_hash(f, sizeof(double[N][M]));
  printf("%016llx\n", hash);
  return 0;
}
