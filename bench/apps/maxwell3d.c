/* maxwell3d: Maxwell's equations in 3D, lossy coefficients for each cell.
 * hexcc-test: args=N,T run=5,3;9,4;18,3 bench=384,50
 * -DREAL=double computes in double precision.
 */
#include <stdio.h>
#include <stdlib.h>

#ifndef REAL
#define REAL float
#endif

static void maxwell3d(int N, int T, REAL ex[N][N][N], REAL ey[N][N][N], REAL ez[N][N][N],
                      REAL hx[N][N][N], REAL hy[N][N][N], REAL hz[N][N][N], REAL ca[N][N][N],
                      REAL cb[N][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++) {
          ex[i][j][k] = ca[i][j][k] * ex[i][j][k]
            + cb[i][j][k] * (hz[i][j][k] - hz[i][j-1][k] - hy[i][j][k] + hy[i][j][k-1]);
          ey[i][j][k] = ca[i][j][k] * ey[i][j][k]
            + cb[i][j][k] * (hx[i][j][k] - hx[i][j][k-1] - hz[i][j][k] + hz[i-1][j][k]);
          ez[i][j][k] = ca[i][j][k] * ez[i][j][k]
            + cb[i][j][k] * (hy[i][j][k] - hy[i-1][j][k] - hx[i][j][k] + hx[i][j-1][k]);
        }
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++) {
          hx[i][j][k] -= 0.3f * (ez[i][j+1][k] - ez[i][j][k] - ey[i][j][k+1] + ey[i][j][k]);
          hy[i][j][k] -= 0.3f * (ex[i][j][k+1] - ex[i][j][k] - ez[i+1][j][k] + ez[i][j][k]);
          hz[i][j][k] -= 0.3f * (ey[i+1][j][k] - ey[i][j][k] - ex[i][j+1][k] + ex[i][j][k]);
        }
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
  int N = argc > 1 ? atoi(argv[1]) : 128;
  int T = argc > 2 ? atoi(argv[2]) : 20;
  size_t cells = (size_t)N * N * N;
  REAL *ex = field(cells, -1, 2);
  REAL *ey = field(cells, -1, 2);
  REAL *ez = field(cells, -1, 2);
  REAL *hx = field(cells, -1, 2);
  REAL *hy = field(cells, -1, 2);
  REAL *hz = field(cells, -1, 2);
  REAL *ca = field(cells, 0.9, 0.1);
  REAL *cb = field(cells, 0.2, 0.1);
  double sum = 0;

  maxwell3d(N, T, (REAL (*)[N][N])ex, (REAL (*)[N][N])ey, (REAL (*)[N][N])ez,
            (REAL (*)[N][N])hx, (REAL (*)[N][N])hy, (REAL (*)[N][N])hz, (REAL (*)[N][N])ca,
            (REAL (*)[N][N])cb);
  for (size_t i = 0; i < cells; i++)
    sum += ex[i];
  printf("%.6e\n", sum / (double)cells);
  free(ex);
  free(ey);
  free(ez);
  free(hx);
  free(hy);
  free(hz);
  free(ca);
  free(cb);
  return 0;
}
