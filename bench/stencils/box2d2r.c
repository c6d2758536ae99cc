/* box2d2r: 2D box of radius 2, every point with its own coefficient.
 * -DREAL=double computes in double precision.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef REAL
#define REAL float
#endif

static void box2d2r(int N, int T, REAL A[2][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 2; i < N - 2; i++)
      for (int j = 2; j < N - 2; j++)
        A[(t+1)%2][i][j] = 0.0384f * A[t%2][i-2][j-2]
          + 0.0385f * A[t%2][i-2][j-1]
          + 0.0387f * A[t%2][i-2][j]
          + 0.0388f * A[t%2][i-2][j+1]
          + 0.0389f * A[t%2][i-2][j+2]
          + 0.0390f * A[t%2][i-1][j-2]
          + 0.0392f * A[t%2][i-1][j-1]
          + 0.0393f * A[t%2][i-1][j]
          + 0.0394f * A[t%2][i-1][j+1]
          + 0.0396f * A[t%2][i-1][j+2]
          + 0.0397f * A[t%2][i][j-2]
          + 0.0398f * A[t%2][i][j-1]
          + 0.0399f * A[t%2][i][j]
          + 0.0401f * A[t%2][i][j+1]
          + 0.0402f * A[t%2][i][j+2]
          + 0.0403f * A[t%2][i+1][j-2]
          + 0.0404f * A[t%2][i+1][j-1]
          + 0.0406f * A[t%2][i+1][j]
          + 0.0407f * A[t%2][i+1][j+1]
          + 0.0408f * A[t%2][i+1][j+2]
          + 0.0410f * A[t%2][i+2][j-2]
          + 0.0411f * A[t%2][i+2][j-1]
          + 0.0412f * A[t%2][i+2][j]
          + 0.0413f * A[t%2][i+2][j+1]
          + 0.0415f * A[t%2][i+2][j+2];
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
  box2d2r(N, T, (REAL (*)[N][N])A);
  for (size_t i = 0; i < n; i++)
    sum += A[i];
  printf("%.6e\n", (double)sum / n);
  free(A);
  return 0;
}
