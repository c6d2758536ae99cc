/* star3d1r: 3D star of radius 1, every point with its own coefficient.
 * -DREAL=double computes in double precision.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef REAL
#define REAL float
#endif

static void star3d1r(int N, int T, REAL A[2][N][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++)
          A[(t+1)%2][i][j][k] = 0.1371f * A[t%2][i-1][j][k]
            + 0.1388f * A[t%2][i][j-1][k]
            + 0.1404f * A[t%2][i][j][k-1]
            + 0.1420f * A[t%2][i][j][k]
            + 0.1437f * A[t%2][i][j][k+1]
            + 0.1453f * A[t%2][i][j+1][k]
            + 0.1469f * A[t%2][i+1][j][k];
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
  star3d1r(N, T, (REAL (*)[N][N][N])A);
  for (size_t i = 0; i < n; i++)
    sum += A[i];
  printf("%.6e\n", (double)sum / n);
  free(A);
  return 0;
}
