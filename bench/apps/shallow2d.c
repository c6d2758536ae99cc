/* shallow2d: nonlinear shallow water over a bed, staggered grid.
 * hexcc-test: args=N,T run=3,4;9,5;40,6 bench=16384,100
 * -DREAL=double computes in double precision.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef REAL
#define REAL float
#endif
#define DT 0.01f
#define G 9.81f
#define DRAG 0.02f

static void shallow2d(int N, int T, REAL h[2][N][N], REAL u[N][N], REAL v[N][N], REAL bed[N][N])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++) {
        u[i][j] -= DT * (G * (h[t%2][i+1][j] + bed[i+1][j] - h[t%2][i][j] - bed[i][j])
                         + DRAG * u[i][j] * fabsf(u[i][j]));
        v[i][j] -= DT * (G * (h[t%2][i][j+1] + bed[i][j+1] - h[t%2][i][j] - bed[i][j])
                         + DRAG * v[i][j] * fabsf(v[i][j]));
      }
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        h[(t+1)%2][i][j] = h[t%2][i][j]
          - 0.5f * DT * ((h[t%2][i+1][j] + h[t%2][i][j]) * u[i][j]
                         - (h[t%2][i][j] + h[t%2][i-1][j]) * u[i-1][j]
                         + (h[t%2][i][j+1] + h[t%2][i][j]) * v[i][j]
                         - (h[t%2][i][j] + h[t%2][i][j-1]) * v[i][j-1]);
  }
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
  int N = argc > 1 ? atoi(argv[1]) : 1024;
  int T = argc > 2 ? atoi(argv[2]) : 20;
  size_t cells = (size_t)N * N;
  REAL *h = field(2 * cells, 1, 0.1);
  REAL *u = field(cells, -0.1, 0.2);
  REAL *v = field(cells, -0.1, 0.2);
  REAL *bed = field(cells, 0, 0.1);
  double sum = 0;

  shallow2d(N, T, (REAL (*)[N][N])h, (REAL (*)[N])u, (REAL (*)[N])v, (REAL (*)[N])bed);
  for (size_t i = 0; i < cells; i++)
    sum += h[i];
  printf("%.6e\n", sum / (double)cells);
  free(h);
  free(u);
  free(v);
  free(bed);
  return 0;
}
