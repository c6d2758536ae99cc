/* j3d27pt: 3D box of radius 1, one division at the end.
 * -DREAL=double computes in double precision.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef REAL
#define REAL float
#endif

static void j3d27pt(int N, int T, REAL A[2][N][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++)
          A[(t+1)%2][i][j][k] = (7.1f * A[t%2][i-1][j-1][k-1]
            + 8.4f * A[t%2][i-1][j-1][k]
            + 9.7f * A[t%2][i-1][j-1][k+1]
            + 11.0f * A[t%2][i-1][j][k-1]
            + 12.3f * A[t%2][i-1][j][k]
            + 7.6f * A[t%2][i-1][j][k+1]
            + 8.9f * A[t%2][i-1][j+1][k-1]
            + 10.2f * A[t%2][i-1][j+1][k]
            + 11.5f * A[t%2][i-1][j+1][k+1]
            + 12.8f * A[t%2][i][j-1][k-1]
            + 8.1f * A[t%2][i][j-1][k]
            + 9.4f * A[t%2][i][j-1][k+1]
            + 10.7f * A[t%2][i][j][k-1]
            + 12.0f * A[t%2][i][j][k]
            + 7.3f * A[t%2][i][j][k+1]
            + 8.6f * A[t%2][i][j+1][k-1]
            + 9.9f * A[t%2][i][j+1][k]
            + 11.2f * A[t%2][i][j+1][k+1]
            + 12.5f * A[t%2][i+1][j-1][k-1]
            + 7.8f * A[t%2][i+1][j-1][k]
            + 9.1f * A[t%2][i+1][j-1][k+1]
            + 10.4f * A[t%2][i+1][j][k-1]
            + 11.7f * A[t%2][i+1][j][k]
            + 13.0f * A[t%2][i+1][j][k+1]
            + 8.3f * A[t%2][i+1][j+1][k-1]
            + 9.6f * A[t%2][i+1][j+1][k]
            + 10.9f * A[t%2][i+1][j+1][k+1]) / 275.4f;
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
  j3d27pt(N, T, (REAL (*)[N][N][N])A);
  for (size_t i = 0; i < n; i++)
    sum += A[i];
  printf("%.6e\n", (double)sum / n);
  free(A);
  return 0;
}
