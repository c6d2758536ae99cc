/* lbm_d2q9: lattice Boltzmann, D2Q9, collision of one relaxation time, pull.
 * hexcc-test: args=N,T run=3,3;7,4;40,5 bench=8192,100
 * -DREAL=double computes in double precision.
 */
#include <stdio.h>
#include <stdlib.h>

#ifndef REAL
#define REAL float
#endif
#define OMEGA 1.2f

static void lbm_d2q9(int N, int T, REAL f[2][9][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++) {
        REAL f0 = f[t%2][0][i][j];
        REAL f1 = f[t%2][1][i-1][j];
        REAL f2 = f[t%2][2][i][j-1];
        REAL f3 = f[t%2][3][i+1][j];
        REAL f4 = f[t%2][4][i][j+1];
        REAL f5 = f[t%2][5][i-1][j-1];
        REAL f6 = f[t%2][6][i+1][j-1];
        REAL f7 = f[t%2][7][i+1][j+1];
        REAL f8 = f[t%2][8][i-1][j+1];
        REAL rho = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8;
        REAL ux = (f1 + f5 + f8 - f3 - f6 - f7) / rho;
        REAL uy = (f2 + f5 + f6 - f4 - f7 - f8) / rho;
        REAL u2 = 1.5f * (ux * ux + uy * uy);

        f[(t+1)%2][0][i][j] = f0 - OMEGA * (f0 - 0.44444445f * rho * (1.0f - u2));
        f[(t+1)%2][1][i][j] = f1 - OMEGA * (f1 - 0.11111111f * rho * (1.0f + 3.0f * (ux)
            + 4.5f * (ux) * (ux) - u2));
        f[(t+1)%2][2][i][j] = f2 - OMEGA * (f2 - 0.11111111f * rho * (1.0f + 3.0f * (uy)
            + 4.5f * (uy) * (uy) - u2));
        f[(t+1)%2][3][i][j] = f3 - OMEGA * (f3 - 0.11111111f * rho * (1.0f + 3.0f * (-ux)
            + 4.5f * (-ux) * (-ux) - u2));
        f[(t+1)%2][4][i][j] = f4 - OMEGA * (f4 - 0.11111111f * rho * (1.0f + 3.0f * (-uy)
            + 4.5f * (-uy) * (-uy) - u2));
        f[(t+1)%2][5][i][j] = f5 - OMEGA * (f5 - 0.027777778f * rho * (1.0f + 3.0f * (ux + uy)
            + 4.5f * (ux + uy) * (ux + uy) - u2));
        f[(t+1)%2][6][i][j] = f6 - OMEGA * (f6 - 0.027777778f * rho * (1.0f + 3.0f * (-ux + uy)
            + 4.5f * (-ux + uy) * (-ux + uy) - u2));
        f[(t+1)%2][7][i][j] = f7 - OMEGA * (f7 - 0.027777778f * rho * (1.0f + 3.0f * (-ux - uy)
            + 4.5f * (-ux - uy) * (-ux - uy) - u2));
        f[(t+1)%2][8][i][j] = f8 - OMEGA * (f8 - 0.027777778f * rho * (1.0f + 3.0f * (ux - uy)
            + 4.5f * (ux - uy) * (ux - uy) - u2));
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
  REAL *f = field(18 * cells, 0.1, 0.05);
  double sum = 0;

  lbm_d2q9(N, T, (REAL (*)[9][N][N])f);
  for (size_t i = 0; i < cells; i++)
    sum += f[i];
  printf("%.6e\n", sum / (double)cells);
  free(f);
  return 0;
}
