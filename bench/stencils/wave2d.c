/* wave2d: 2D wave equation of second order in time, three time buffers.
 * -DREAL=double computes in double precision.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef REAL
#define REAL float
#endif

static void wave2d(int N, int T, REAL A[3][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        A[(t+2)%3][i][j] = 2.0f * A[(t+1)%3][i][j] - A[t%3][i][j]
          + 0.25f * (A[(t+1)%3][i-1][j] + A[(t+1)%3][i+1][j]
                     + A[(t+1)%3][i][j-1] + A[(t+1)%3][i][j+1]
                     - 4.0f * A[(t+1)%3][i][j]);
#pragma endscop
}

int main(int argc, char **argv)
{
  int N = argc > 1 ? atoi(argv[1]) : 1024;
  int T = argc > 2 ? atoi(argv[2]) : 20;
  size_t n = 3 * (size_t)N * N;
  REAL *A = (REAL *)malloc(sizeof(REAL) * n);
  unsigned state = 1;
  REAL sum = 0;

  for (size_t i = 0; i < n; i++) {
    state = state * 1664525u + 1013904223u;
    A[i] = ((state >> 8) | 1) / (REAL)16777216.0;
  }
  wave2d(N, T, (REAL (*)[N][N])A);
  for (size_t i = 0; i < n; i++)
    sum += A[i];
  printf("%.6e\n", (double)sum / n);
  free(A);
  return 0;
}
