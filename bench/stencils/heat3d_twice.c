/* heat3d_twice: heat-3d as in PolyBench: two arrays, each computed from the other in every time step.
 * -DREAL=double computes in double precision.
 */
#include <stdio.h>
#include <stdlib.h>

#ifndef REAL
#define REAL float
#endif

static void heat3d_twice(int N, int T, REAL A[N][N][N], REAL B[N][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++)
          B[i][j][k] = 0.125f * (A[i+1][j][k] - 2.0f * A[i][j][k] + A[i-1][j][k])
            + 0.125f * (A[i][j+1][k] - 2.0f * A[i][j][k] + A[i][j-1][k])
            + 0.125f * (A[i][j][k+1] - 2.0f * A[i][j][k] + A[i][j][k-1]) + A[i][j][k];
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++)
          A[i][j][k] = 0.125f * (B[i+1][j][k] - 2.0f * B[i][j][k] + B[i-1][j][k])
            + 0.125f * (B[i][j+1][k] - 2.0f * B[i][j][k] + B[i][j-1][k])
            + 0.125f * (B[i][j][k+1] - 2.0f * B[i][j][k] + B[i][j][k-1]) + B[i][j][k];
  }
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
  size_t n_A = 1 * (size_t)N * N * N;
  REAL *A = (REAL *)malloc(sizeof(REAL) * n_A);
  size_t n_B = 1 * (size_t)N * N * N;
  REAL *B = (REAL *)malloc(sizeof(REAL) * n_B);
  REAL sum = 0;

  fill(A, n_A);
  fill(B, n_B);
  heat3d_twice(N, T, (REAL (*)[N][N])A, (REAL (*)[N][N])B);
  for (size_t i = 0; i < n_A; i++)
    sum += A[i];
  printf("%.6e\n", (double)sum / n_A);
  free(A);
  free(B);
  return 0;
}
