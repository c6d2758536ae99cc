/* varcoef2d: 2D heat equation with four conductances per point, in arrays that are read only.
 * -DREAL=double computes in double precision.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef REAL
#define REAL float
#endif

static void varcoef2d(int N, int T, REAL A[2][N][N], REAL north[N][N], REAL south[N][N],
                      REAL west[N][N], REAL east[N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        A[(t+1)%2][i][j] = A[t%2][i][j]
          + 0.2f * (north[i][j] * (A[t%2][i-1][j] - A[t%2][i][j])
                    + south[i][j] * (A[t%2][i+1][j] - A[t%2][i][j])
                    + west[i][j] * (A[t%2][i][j-1] - A[t%2][i][j])
                    + east[i][j] * (A[t%2][i][j+1] - A[t%2][i][j]));
#pragma endscop
}

int main(int argc, char **argv)
{
  int N = argc > 1 ? atoi(argv[1]) : 1024;
  int T = argc > 2 ? atoi(argv[2]) : 20;
  size_t plane = (size_t)N * N, n = 6 * plane;
  REAL *A = (REAL *)malloc(sizeof(REAL) * n);
  unsigned state = 1;
  REAL sum = 0;

  for (size_t i = 0; i < n; i++) {
    state = state * 1664525u + 1013904223u;
    A[i] = ((state >> 8) | 1) / (REAL)16777216.0;
  }
  varcoef2d(N, T, (REAL (*)[N][N])A, (REAL (*)[N])(A + 2 * plane), (REAL (*)[N])(A + 3 * plane),
            (REAL (*)[N])(A + 4 * plane), (REAL (*)[N])(A + 5 * plane));
  for (size_t i = 0; i < 2 * plane; i++)
    sum += A[i];
  printf("%.6e\n", (double)sum / (2 * plane));
  free(A);
  return 0;
}
