/* star3d2r: 3D star of radius 2, every point with its own coefficient.
 * -DREAL=double computes in double precision.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef REAL
#define REAL float
#endif

static void star3d2r(int N, int T, REAL A[2][N][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 2; i < N - 2; i++)
      for (int j = 2; j < N - 2; j++)
        for (int k = 2; k < N - 2; k++)
          A[(t+1)%2][i][j][k] = 0.0738f * A[t%2][i-2][j][k]
            + 0.0743f * A[t%2][i-1][j][k]
            + 0.0748f * A[t%2][i][j-2][k]
            + 0.0753f * A[t%2][i][j-1][k]
            + 0.0757f * A[t%2][i][j][k-2]
            + 0.0762f * A[t%2][i][j][k-1]
            + 0.0767f * A[t%2][i][j][k]
            + 0.0772f * A[t%2][i][j][k+1]
            + 0.0776f * A[t%2][i][j][k+2]
            + 0.0781f * A[t%2][i][j+1][k]
            + 0.0786f * A[t%2][i][j+2][k]
            + 0.0791f * A[t%2][i+1][j][k]
            + 0.0795f * A[t%2][i+2][j][k];
#pragma endscop
}

int main(int argc, char **argv)
{
  int N = argc > 1 ? atoi(argv[1]) : 128;
  int T = argc > 2 ? atoi(argv[2]) : 20;
  size_t n = 2 * (size_t)N * N * N;
  REAL *A = (REAL *)malloc(sizeof(REAL) * n);
  unsigned state = 1;
  REAL sum = 0;

  for (size_t i = 0; i < n; i++) {
    state = state * 1664525u + 1013904223u;
    A[i] = ((state >> 8) | 1) / (REAL)16777216.0;
  }
  star3d2r(N, T, (REAL (*)[N][N][N])A);
  for (size_t i = 0; i < n; i++)
    sum += A[i];
  printf("%.6e\n", (double)sum / n);
  free(A);
  return 0;
}
