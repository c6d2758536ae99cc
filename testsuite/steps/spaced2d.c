/* spaced2d: Strided rows and descending columns in parallel: neighbouring threads take neighbouring columns.
 * hexcc-test: args=N,T run=1,3;2,1;5,2;17,4;40,3 flags=--tiling,stepwise
 */
#include <stdio.h>
#include <stdlib.h>

static void spaced2d(int N, int T, double A[N][N], double x[N])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 0; i < N; i += 2)
      for (int j = 0; j < N; j++)
        A[i][j] = 0.5 * A[i][j] + x[i];
    for (int j = N - 1; j >= 0; j--)
      for (int i = 0; i < N; i++)
        A[i][j] = A[i][j] - 0.25 * x[j];
  }
#pragma endscop
}

static unsigned state = 1;

static double next(void)
{
  state = state * 1664525u + 1013904223u;
  return ((state >> 8) | 1) / 16777216.0;
}

int main(int argc, char **argv)
{
  int N = argc > 1 ? atoi(argv[1]) : 40;
  int T = argc > 2 ? atoi(argv[2]) : 3;
  double (*A)[N] = malloc(sizeof(double[N][N])), *x = malloc(N * sizeof(double));
  unsigned long long hash = 14695981039346656037ull;

  for (int i = 0; i < N; i++) {
    x[i] = next();
    for (int j = 0; j < N; j++)
      A[i][j] = next();
  }
  spaced2d(N, T, A, x);
  const unsigned char *byte = (const unsigned char *)A;
  for (size_t i = 0; i < sizeof(double[N][N]); i++)
    hash = (hash ^ byte[i]) * 1099511628211ull;
  printf("%016llx\n", hash);
  free(A);
  free(x);
  return 0;
}
