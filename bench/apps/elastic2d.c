/* elastic2d: elastic waves in 2D, velocity and stress on staggered grids, 4th order.
 * hexcc-test: args=N,T run=7,3;12,5;40,4 bench=16384,100
 * -DREAL=double computes in double precision.
 */
#include <stdio.h>
#include <stdlib.h>

#ifndef REAL
#define REAL float
#endif
#define C1 1.125f
#define C2 0.041666668f

static void elastic2d(int N, int T, REAL vx[N][N], REAL vy[N][N], REAL sxx[N][N], REAL syy[N][N],
                      REAL sxy[N][N], REAL rho[N][N], REAL lam[N][N], REAL mu[N][N])
{
  for (int t = 0; t < T; t++) {
    for (int i = 2; i < N - 2; i++)
      for (int j = 2; j < N - 2; j++) {
        vx[i][j] += rho[i][j] * (C1 * (sxx[i+1][j] - sxx[i][j]) - C2 * (sxx[i+2][j] - sxx[i-1][j])
                                 + C1 * (sxy[i][j] - sxy[i][j-1]) - C2 * (sxy[i][j+1] - sxy[i][j-2]));
        vy[i][j] += rho[i][j] * (C1 * (sxy[i][j] - sxy[i-1][j]) - C2 * (sxy[i+1][j] - sxy[i-2][j])
                                 + C1 * (syy[i][j+1] - syy[i][j]) - C2 * (syy[i][j+2] - syy[i][j-1]));
      }
    for (int i = 2; i < N - 2; i++)
      for (int j = 2; j < N - 2; j++) {
        REAL dx = C1 * (vx[i][j] - vx[i-1][j]) - C2 * (vx[i+1][j] - vx[i-2][j]);
        REAL dy = C1 * (vy[i][j] - vy[i][j-1]) - C2 * (vy[i][j+1] - vy[i][j-2]);

        sxx[i][j] += (lam[i][j] + 2.0f * mu[i][j]) * dx + lam[i][j] * dy;
        syy[i][j] += (lam[i][j] + 2.0f * mu[i][j]) * dy + lam[i][j] * dx;
        sxy[i][j] += mu[i][j] * (C1 * (vx[i][j+1] - vx[i][j]) - C2 * (vx[i][j+2] - vx[i][j-1])
                                 + C1 * (vy[i+1][j] - vy[i][j]) - C2 * (vy[i+2][j] - vy[i-1][j]));
      }
  }
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
  REAL *vx = field(cells, -1, 2);
  REAL *vy = field(cells, -1, 2);
  REAL *sxx = field(cells, -1, 2);
  REAL *syy = field(cells, -1, 2);
  REAL *sxy = field(cells, -1, 2);
  REAL *rho = field(cells, 0.05, 0.1);
  REAL *lam = field(cells, 0.05, 0.1);
  REAL *mu = field(cells, 0.05, 0.1);
  double sum = 0;

  elastic2d(N, T, (REAL (*)[N])vx, (REAL (*)[N])vy, (REAL (*)[N])sxx, (REAL (*)[N])syy,
            (REAL (*)[N])sxy, (REAL (*)[N])rho, (REAL (*)[N])lam, (REAL (*)[N])mu);
  for (size_t i = 0; i < cells; i++)
    sum += vx[i];
  printf("%.6e\n", sum / (double)cells);
  free(vx);
  free(vy);
  free(sxx);
  free(syy);
  free(sxy);
  free(rho);
  free(lam);
  free(mu);
  return 0;
}
