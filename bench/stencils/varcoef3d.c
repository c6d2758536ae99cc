/* varcoef3d: 3D star of radius 1, a coefficient of its own for every face of every cell.
 * -DREAL=double computes in double precision.
 */
#include <stdio.h>
#include <stdlib.h>

#ifndef REAL
#define REAL float
#endif

static void varcoef3d(int N, int T, REAL A[2][N][N][N], REAL K[3][N][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++)
          A[(t+1)%2][i][j][k] = A[t%2][i][j][k]
            + K[0][i+1][j][k] * (A[t%2][i+1][j][k] - A[t%2][i][j][k])
            + K[0][i][j][k] * (A[t%2][i-1][j][k] - A[t%2][i][j][k])
            + K[1][i][j+1][k] * (A[t%2][i][j+1][k] - A[t%2][i][j][k])
            + K[1][i][j][k] * (A[t%2][i][j-1][k] - A[t%2][i][j][k])
            + K[2][i][j][k+1] * (A[t%2][i][j][k+1] - A[t%2][i][j][k])
            + K[2][i][j][k] * (A[t%2][i][j][k-1] - A[t%2][i][j][k]);
#pragma endscop
}

static void fill(REAL *x, size_t n)
{
  static unsigned state = 1;

  for (size_t i = 0; i < n; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = ((state >> 8) | 1) / (REAL)16777216.0;
  }
}

int main(int argc, char **argv)
{
  int N = argc > 1 ? atoi(argv[1]) : 128;
  int T = argc > 2 ? atoi(argv[2]) : 20;
  size_t n_A = 2 * (size_t)N * N * N;
  REAL *A = (REAL *)malloc(sizeof(REAL) * n_A);
  size_t n_K = 3 * (size_t)N * N * N;
  REAL *K = (REAL *)malloc(sizeof(REAL) * n_K);
  REAL sum = 0;

  fill(A, n_A);
  fill(K, n_K);
  varcoef3d(N, T, (REAL (*)[N][N][N])A, (REAL (*)[N][N][N])K);
  for (size_t i = 0; i < n_A; i++)
    sum += A[i];
  printf("%.6e\n", (double)sum / n_A);
  free(A);
  free(K);
  return 0;
}
