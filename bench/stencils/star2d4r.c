/* star2d4r: 2D star of radius 4, every point with its own coefficient.
 * -DREAL=double computes in double precision.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef REAL
#define REAL float
#endif

static void star2d4r(int N, int T, REAL A[2][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 4; i < N - 4; i++)
      for (int j = 4; j < N - 4; j++)
        A[(t+1)%2][i][j] = 0.0565f * A[t%2][i-4][j]
          + 0.0567f * A[t%2][i-3][j]
          + 0.0570f * A[t%2][i-2][j]
          + 0.0573f * A[t%2][i-1][j]
          + 0.0576f * A[t%2][i][j-4]
          + 0.0579f * A[t%2][i][j-3]
          + 0.0581f * A[t%2][i][j-2]
          + 0.0584f * A[t%2][i][j-1]
          + 0.0587f * A[t%2][i][j]
          + 0.0590f * A[t%2][i][j+1]
          + 0.0592f * A[t%2][i][j+2]
          + 0.0595f * A[t%2][i][j+3]
          + 0.0598f * A[t%2][i][j+4]
          + 0.0601f * A[t%2][i+1][j]
          + 0.0603f * A[t%2][i+2][j]
          + 0.0606f * A[t%2][i+3][j]
          + 0.0609f * A[t%2][i+4][j];
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
  star2d4r(N, T, (REAL (*)[N][N])A);
  for (size_t i = 0; i < n; i++)
    sum += A[i];
  printf("%.6e\n", (double)sum / n);
  free(A);
  return 0;
}
