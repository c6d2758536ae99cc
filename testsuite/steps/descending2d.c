/* descending2d: Descending loops: a back substitution along rows from the last one, columns from the right.
 * hexcc-test: args=N run=1;2;3;8;17;40;60 warns=HX0203
 */
#include <stdio.h>
#include <stdlib.h>

static void descending2d(int N, double U[N][N], double X[N][N])
{
#pragma scop
  for (int i = N - 1; i >= 0; i--) {
    for (int j = N - 1; j >= 0; j--) {
      for (int k = N - 1; k > i; k--)
        X[i][j] -= U[i][k] * X[k][j];
      X[i][j] /= 1.0 + U[i][i];
    }
  }
  for (int j = N - 2; j > 0; j -= 3)
    for (int i = 0; i < N; i++)
      X[i][j] = 0.5 * X[i][j] + 0.25 * X[i][j+1];
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
  int N = argc > 1 ? atoi(argv[1]) : 32;
  double (*U)[N] = (double (*)[N])malloc(sizeof(double[N][N]));
  double (*X)[N] = (double (*)[N])malloc(sizeof(double[N][N]));

  fill(U, sizeof(double[N][N]));
  fill(X, sizeof(double[N][N]));
  descending2d(N, U, X);
  add_to_hash(X, sizeof(double[N][N]));
  printf("%016llx\n", hash);
  return 0;
}
