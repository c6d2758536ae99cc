/* lbm_d3q19: lattice Boltzmann, D3Q19, collision of one relaxation time, pull.
 * hexcc-test: args=N,T run=3,3;7,3;12,2 bench=256,50 flags=--time-limit,60
 * -DREAL=double computes in double precision.
 */
#include <stdio.h>
#include <stdlib.h>

#ifndef REAL
#define REAL float
#endif
#define OMEGA 1.2f

static void lbm_d3q19(int N, int T, REAL f[2][19][N][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++) {
          REAL f0 = f[t%2][0][i][j][k];
          REAL f1 = f[t%2][1][i][j][k-1];
          REAL f2 = f[t%2][2][i][j][k+1];
          REAL f3 = f[t%2][3][i][j-1][k];
          REAL f4 = f[t%2][4][i][j-1][k-1];
          REAL f5 = f[t%2][5][i][j-1][k+1];
          REAL f6 = f[t%2][6][i][j+1][k];
          REAL f7 = f[t%2][7][i][j+1][k-1];
          REAL f8 = f[t%2][8][i][j+1][k+1];
          REAL f9 = f[t%2][9][i-1][j][k];
          REAL f10 = f[t%2][10][i-1][j][k-1];
          REAL f11 = f[t%2][11][i-1][j][k+1];
          REAL f12 = f[t%2][12][i-1][j-1][k];
          REAL f13 = f[t%2][13][i-1][j+1][k];
          REAL f14 = f[t%2][14][i+1][j][k];
          REAL f15 = f[t%2][15][i+1][j][k-1];
          REAL f16 = f[t%2][16][i+1][j][k+1];
          REAL f17 = f[t%2][17][i+1][j-1][k];
          REAL f18 = f[t%2][18][i+1][j+1][k];
          REAL rho = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8 + f9 + f10 + f11 + f12 + f13 + f14 + f15 + f16 + f17 + f18;
          REAL ux = (f9 + f10 + f11 + f12 + f13 - f14 - f15 - f16 - f17 - f18) / rho;
          REAL uy = (f3 + f4 + f5 + f12 + f17 - f6 - f7 - f8 - f13 - f18) / rho;
          REAL uz = (f1 + f4 + f7 + f10 + f15 - f2 - f5 - f8 - f11 - f16) / rho;
          REAL u2 = 1.5f * (ux * ux + uy * uy + uz * uz);

          f[(t+1)%2][0][i][j][k] = f0 - OMEGA * (f0 - 0.33333334f * rho * (1.0f - u2));
          f[(t+1)%2][1][i][j][k] = f1 - OMEGA * (f1 - 0.055555556f * rho * (1.0f + 3.0f * (uz)
              + 4.5f * (uz) * (uz) - u2));
          f[(t+1)%2][2][i][j][k] = f2 - OMEGA * (f2 - 0.055555556f * rho * (1.0f + 3.0f * (-uz)
              + 4.5f * (-uz) * (-uz) - u2));
          f[(t+1)%2][3][i][j][k] = f3 - OMEGA * (f3 - 0.055555556f * rho * (1.0f + 3.0f * (uy)
              + 4.5f * (uy) * (uy) - u2));
          f[(t+1)%2][4][i][j][k] = f4 - OMEGA * (f4 - 0.027777778f * rho * (1.0f + 3.0f * (uy + uz)
              + 4.5f * (uy + uz) * (uy + uz) - u2));
          f[(t+1)%2][5][i][j][k] = f5 - OMEGA * (f5 - 0.027777778f * rho * (1.0f + 3.0f * (uy - uz)
              + 4.5f * (uy - uz) * (uy - uz) - u2));
          f[(t+1)%2][6][i][j][k] = f6 - OMEGA * (f6 - 0.055555556f * rho * (1.0f + 3.0f * (-uy)
              + 4.5f * (-uy) * (-uy) - u2));
          f[(t+1)%2][7][i][j][k] = f7 - OMEGA * (f7 - 0.027777778f * rho * (1.0f + 3.0f * (-uy + uz)
              + 4.5f * (-uy + uz) * (-uy + uz) - u2));
          f[(t+1)%2][8][i][j][k] = f8 - OMEGA * (f8 - 0.027777778f * rho * (1.0f + 3.0f * (-uy - uz)
              + 4.5f * (-uy - uz) * (-uy - uz) - u2));
          f[(t+1)%2][9][i][j][k] = f9 - OMEGA * (f9 - 0.055555556f * rho * (1.0f + 3.0f * (ux)
              + 4.5f * (ux) * (ux) - u2));
          f[(t+1)%2][10][i][j][k] = f10 - OMEGA * (f10 - 0.027777778f * rho * (1.0f + 3.0f * (ux + uz)
              + 4.5f * (ux + uz) * (ux + uz) - u2));
          f[(t+1)%2][11][i][j][k] = f11 - OMEGA * (f11 - 0.027777778f * rho * (1.0f + 3.0f * (ux - uz)
              + 4.5f * (ux - uz) * (ux - uz) - u2));
          f[(t+1)%2][12][i][j][k] = f12 - OMEGA * (f12 - 0.027777778f * rho * (1.0f + 3.0f * (ux + uy)
              + 4.5f * (ux + uy) * (ux + uy) - u2));
          f[(t+1)%2][13][i][j][k] = f13 - OMEGA * (f13 - 0.027777778f * rho * (1.0f + 3.0f * (ux - uy)
              + 4.5f * (ux - uy) * (ux - uy) - u2));
          f[(t+1)%2][14][i][j][k] = f14 - OMEGA * (f14 - 0.055555556f * rho * (1.0f + 3.0f * (-ux)
              + 4.5f * (-ux) * (-ux) - u2));
          f[(t+1)%2][15][i][j][k] = f15 - OMEGA * (f15 - 0.027777778f * rho * (1.0f + 3.0f * (-ux + uz)
              + 4.5f * (-ux + uz) * (-ux + uz) - u2));
          f[(t+1)%2][16][i][j][k] = f16 - OMEGA * (f16 - 0.027777778f * rho * (1.0f + 3.0f * (-ux - uz)
              + 4.5f * (-ux - uz) * (-ux - uz) - u2));
          f[(t+1)%2][17][i][j][k] = f17 - OMEGA * (f17 - 0.027777778f * rho * (1.0f + 3.0f * (-ux + uy)
              + 4.5f * (-ux + uy) * (-ux + uy) - u2));
          f[(t+1)%2][18][i][j][k] = f18 - OMEGA * (f18 - 0.027777778f * rho * (1.0f + 3.0f * (-ux - uy)
              + 4.5f * (-ux - uy) * (-ux - uy) - u2));
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
  REAL *f = field(38 * cells, 0.1, 0.05);
  double sum = 0;

  lbm_d3q19(N, T, (REAL (*)[19][N][N][N])f);
  for (size_t i = 0; i < cells; i++)
    sum += f[i];
  printf("%.6e\n", sum / (double)cells);
  free(f);
  return 0;
}
