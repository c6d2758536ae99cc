/* wave3d: 3D wave equation of second order in time, a velocity per cell.
 * -DREAL=double computes in double precision.
 */
#include <stdio.h>
#include <stdlib.h>

#ifndef REAL
#define REAL float
#endif

static void wave3d(int N, int T, REAL A[3][N][N][N], REAL C[N][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++)
          A[(t+2)%3][i][j][k] = 2.0f * A[(t+1)%3][i][j][k] - A[t%3][i][j][k]
            + C[i][j][k] * (A[(t+1)%3][i-1][j][k] + A[(t+1)%3][i+1][j][k]
                            + A[(t+1)%3][i][j-1][k] + A[(t+1)%3][i][j+1][k]
                            + A[(t+1)%3][i][j][k-1] + A[(t+1)%3][i][j][k+1]
                            - 6.0f * A[(t+1)%3][i][j][k]);
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
  size_t n_A = 3 * (size_t)N * N * N;
  REAL *A = (REAL *)malloc(sizeof(REAL) * n_A);
  size_t n_C = 1 * (size_t)N * N * N;
  REAL *C = (REAL *)malloc(sizeof(REAL) * n_C);
  REAL sum = 0;

  fill(A, n_A);
  fill(C, n_C);
  wave3d(N, T, (REAL (*)[N][N][N])A, (REAL (*)[N][N])C);
  for (size_t i = 0; i < n_A; i++)
    sum += A[i];
  printf("%.6e\n", (double)sum / n_A);
  free(A);
  free(C);
  return 0;
}
