/* cholesky2d: Cholesky decomposition: square roots on the diagonal, lower triangle only.
 * hexcc-test: args=N run=1;2;3;8;17;40 warns=HX0201
 */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

static void cholesky2d(int N, double A[N][N])
{
#pragma scop
  for (int k = 0; k < N; k++) {
    A[k][k] = sqrt(A[k][k] + N);
    for (int i = k + 1; i < N; i++)
      A[i][k] = A[i][k] / A[k][k];
    for (int j = k + 1; j < N; j++)
      for (int i = j; i < N; i++)
        A[i][j] -= A[i][k] * A[j][k];
  }
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
  double (*A)[N] = (double (*)[N])malloc(sizeof(double[N][N]));

  fill(A, sizeof(double[N][N]));
  cholesky2d(N, A);
  add_to_hash(A, sizeof(double[N][N]));
  printf("%016llx\n", hash);
  return 0;
}
