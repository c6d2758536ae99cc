/* conduct3d: heat in 3D, conductivity averaged at the faces of cells.
 * hexcc-test: args=N,T run=3,4;7,5;20,4 bench=512,50
 * -DREAL=double computes in double precision.
 */
#include <stdio.h>
#include <stdlib.h>

#ifndef REAL
#define REAL float
#endif

static void conduct3d(int N, int T, REAL a[2][N][N][N], REAL c[N][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++)
          a[(t+1)%2][i][j][k] = a[t%2][i][j][k] + 0.5f
            * ((c[i+1][j][k] + c[i][j][k]) * (a[t%2][i+1][j][k] - a[t%2][i][j][k])
               - (c[i][j][k] + c[i-1][j][k]) * (a[t%2][i][j][k] - a[t%2][i-1][j][k])
               + (c[i][j+1][k] + c[i][j][k]) * (a[t%2][i][j+1][k] - a[t%2][i][j][k])
               - (c[i][j][k] + c[i][j-1][k]) * (a[t%2][i][j][k] - a[t%2][i][j-1][k])
               + (c[i][j][k+1] + c[i][j][k]) * (a[t%2][i][j][k+1] - a[t%2][i][j][k])
               - (c[i][j][k] + c[i][j][k-1]) * (a[t%2][i][j][k] - a[t%2][i][j][k-1]));
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
  REAL *c = field(cells, 0.01, 0.1);
  double sum = 0;

  conduct3d(N, T, (REAL (*)[N][N][N])a, (REAL (*)[N][N])c);
  for (size_t i = 0; i < cells; i++)
    sum += a[i];
  printf("%.6e\n", sum / (double)cells);
  free(a);
  free(c);
  return 0;
}
