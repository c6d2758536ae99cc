/* star2d2r: 2D star of radius 2, every point with its own coefficient.
 * -DREAL=double computes in double precision.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef REAL
#define REAL float
#endif

static void star2d2r(int N, int T, REAL A[2][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 2; i < N - 2; i++)
      for (int j = 2; j < N - 2; j++)
        A[(t+1)%2][i][j] = 0.1067f * A[t%2][i-2][j]
          + 0.1077f * A[t%2][i-1][j]
          + 0.1086f * A[t%2][i][j-2]
          + 0.1096f * A[t%2][i][j-1]
          + 0.1106f * A[t%2][i][j]
          + 0.1116f * A[t%2][i][j+1]
          + 0.1126f * A[t%2][i][j+2]
          + 0.1136f * A[t%2][i+1][j]
          + 0.1146f * A[t%2][i+2][j];
#pragma endscop
}

int main(int argc, char **argv)
{
  int N = argc > 1 ? atoi(argv[1]) : 1024;
  int T = argc > 2 ? atoi(argv[2]) : 20;
  size_t n = 2 * (size_t)N * N;
  REAL *A = (REAL *)malloc(sizeof(REAL) * n);
  unsigned state = 1;
  REAL sum = 0;

  for (size_t i = 0; i < n; i++) {
    state = state * 1664525u + 1013904223u;
    A[i] = ((state >> 8) | 1) / (REAL)16777216.0;
  }
  star2d2r(N, T, (REAL (*)[N][N])A);
  for (size_t i = 0; i < n; i++)
    sum += A[i];
  printf("%.6e\n", (double)sum / n);
  free(A);
  return 0;
}
