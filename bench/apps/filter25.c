/* filter25: a filter of 25 points in 3D, four on every side of each axis.
 * hexcc-test: args=N,T run=9,4;12,5;20,3 bench=512,50
 * -DREAL=double computes in double precision.
 */
#include <stdio.h>
#include <stdlib.h>

#ifndef REAL
#define REAL float
#endif

static void filter25(int N, int T, REAL a[2][N][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 4; i < N - 4; i++)
      for (int j = 4; j < N - 4; j++)
        for (int k = 4; k < N - 4; k++)
          a[(t+1)%2][i][j][k] = 0.5f * a[t%2][i][j][k]
            + 0.04f * (a[t%2][i-1][j][k] + a[t%2][i+1][j][k]
                 + a[t%2][i][j-1][k] + a[t%2][i][j+1][k]
                 + a[t%2][i][j][k-1] + a[t%2][i][j][k+1])
            + 0.02f * (a[t%2][i-2][j][k] + a[t%2][i+2][j][k]
                 + a[t%2][i][j-2][k] + a[t%2][i][j+2][k]
                 + a[t%2][i][j][k-2] + a[t%2][i][j][k+2])
            + 0.013f * (a[t%2][i-3][j][k] + a[t%2][i+3][j][k]
                 + a[t%2][i][j-3][k] + a[t%2][i][j+3][k]
                 + a[t%2][i][j][k-3] + a[t%2][i][j][k+3])
            + 0.01f * (a[t%2][i-4][j][k] + a[t%2][i+4][j][k]
                 + a[t%2][i][j-4][k] + a[t%2][i][j+4][k]
                 + a[t%2][i][j][k-4] + a[t%2][i][j][k+4]);
#pragma endscop
}

/* Numbers from lo to lo + range, the same in every run. */
static REAL *field(size_t n, double lo, double range)
{
  static unsigned state = 1;
  REAL *x = (REAL *)malloc(sizeof(REAL) * n);

  for (size_t i = 0; i < n; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = (REAL)(lo + range * ((state >> 8) / 16777216.0));
  }
  return x;
}

int main(int argc, char **argv)
{
  int N = argc > 1 ? atoi(argv[1]) : 128;
  int T = argc > 2 ? atoi(argv[2]) : 20;
  size_t cells = (size_t)N * N * N;
  REAL *a = field(2 * cells, 0, 1);
  double sum = 0;

  filter25(N, T, (REAL (*)[N][N][N])a);
  for (size_t i = 0; i < cells; i++)
    sum += a[i];
  printf("%.6e\n", sum / (double)cells);
  free(a);
  return 0;
}
