/* elastic3d: elastic waves in 3D, velocity and stress on staggered grids, 2nd order.
 * hexcc-test: args=N,T run=5,3;9,4;18,3 bench=384,50
 * -DREAL=double computes in double precision.
 */
#include <stdio.h>
#include <stdlib.h>

#ifndef REAL
#define REAL float
#endif

static void elastic3d(int N, int T, REAL vx[N][N][N], REAL vy[N][N][N], REAL vz[N][N][N],
                      REAL sxx[N][N][N], REAL syy[N][N][N], REAL szz[N][N][N], REAL sxy[N][N][N],
                      REAL sxz[N][N][N], REAL syz[N][N][N], REAL rho[N][N][N], REAL lam[N][N][N],
                      REAL mu[N][N][N])
{
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++) {
          vx[i][j][k] += rho[i][j][k] * (sxx[i+1][j][k] - sxx[i][j][k] + sxy[i][j][k] - sxy[i][j-1][k]
                                         + sxz[i][j][k] - sxz[i][j][k-1]);
          vy[i][j][k] += rho[i][j][k] * (sxy[i][j][k] - sxy[i-1][j][k] + syy[i][j+1][k] - syy[i][j][k]
                                         + syz[i][j][k] - syz[i][j][k-1]);
          vz[i][j][k] += rho[i][j][k] * (sxz[i][j][k] - sxz[i-1][j][k] + syz[i][j][k] - syz[i][j-1][k]
                                         + szz[i][j][k+1] - szz[i][j][k]);
        }
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++) {
          REAL dx = vx[i][j][k] - vx[i-1][j][k];
          REAL dy = vy[i][j][k] - vy[i][j-1][k];
          REAL dz = vz[i][j][k] - vz[i][j][k-1];
          REAL all = lam[i][j][k] * (dx + dy + dz);

          sxx[i][j][k] += all + 2.0f * mu[i][j][k] * dx;
          syy[i][j][k] += all + 2.0f * mu[i][j][k] * dy;
          szz[i][j][k] += all + 2.0f * mu[i][j][k] * dz;
          sxy[i][j][k] += mu[i][j][k] * (vx[i][j+1][k] - vx[i][j][k] + vy[i+1][j][k] - vy[i][j][k]);
          sxz[i][j][k] += mu[i][j][k] * (vx[i][j][k+1] - vx[i][j][k] + vz[i+1][j][k] - vz[i][j][k]);
          syz[i][j][k] += mu[i][j][k] * (vy[i][j][k+1] - vy[i][j][k] + vz[i][j+1][k] - vz[i][j][k]);
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
  int N = argc > 1 ? atoi(argv[1]) : 128;
  int T = argc > 2 ? atoi(argv[2]) : 20;
  size_t cells = (size_t)N * N * N;
  REAL *vx = field(cells, -1, 2);
  REAL *vy = field(cells, -1, 2);
  REAL *vz = field(cells, -1, 2);
  REAL *sxx = field(cells, -1, 2);
  REAL *syy = field(cells, -1, 2);
  REAL *szz = field(cells, -1, 2);
  REAL *sxy = field(cells, -1, 2);
  REAL *sxz = field(cells, -1, 2);
  REAL *syz = field(cells, -1, 2);
  REAL *rho = field(cells, 0.05, 0.1);
  REAL *lam = field(cells, 0.05, 0.1);
  REAL *mu = field(cells, 0.05, 0.1);
  double sum = 0;

  elastic3d(N, T, (REAL (*)[N][N])vx, (REAL (*)[N][N])vy, (REAL (*)[N][N])vz,
            (REAL (*)[N][N])sxx, (REAL (*)[N][N])syy, (REAL (*)[N][N])szz, (REAL (*)[N][N])sxy,
            (REAL (*)[N][N])sxz, (REAL (*)[N][N])syz, (REAL (*)[N][N])rho, (REAL (*)[N][N])lam,
            (REAL (*)[N][N])mu);
  for (size_t i = 0; i < cells; i++)
    sum += vx[i];
  printf("%.6e\n", sum / (double)cells);
  free(vx);
  free(vy);
  free(vz);
  free(sxx);
  free(syy);
  free(szz);
  free(sxy);
  free(sxz);
  free(syz);
  free(rho);
  free(lam);
  free(mu);
  return 0;
}
