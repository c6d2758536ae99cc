/* advect3d: advection in 3D, upwind, three velocities for each cell.
 * hexcc-test: args=N,T run=3,4;7,5;20,4 bench=512,50
 * -DREAL=double computes in double precision.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef REAL
#define REAL float
#endif

static void advect3d(int N, int T, REAL q[2][N][N][N], REAL vx[N][N][N], REAL vy[N][N][N],
                     REAL vz[N][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++)
          q[(t+1)%2][i][j][k] = q[t%2][i][j][k]
            - fmaxf(vx[i][j][k], 0.0f) * (q[t%2][i][j][k] - q[t%2][i-1][j][k])
            - fminf(vx[i][j][k], 0.0f) * (q[t%2][i+1][j][k] - q[t%2][i][j][k])
            - fmaxf(vy[i][j][k], 0.0f) * (q[t%2][i][j][k] - q[t%2][i][j-1][k])
            - fminf(vy[i][j][k], 0.0f) * (q[t%2][i][j+1][k] - q[t%2][i][j][k])
            - fmaxf(vz[i][j][k], 0.0f) * (q[t%2][i][j][k] - q[t%2][i][j][k-1])
            - fminf(vz[i][j][k], 0.0f) * (q[t%2][i][j][k+1] - q[t%2][i][j][k]);
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
  REAL *q = field(2 * cells, 0, 1);
  REAL *vx = field(cells, -0.1, 0.2);
  REAL *vy = field(cells, -0.1, 0.2);
  REAL *vz = field(cells, -0.1, 0.2);
  double sum = 0;

  advect3d(N, T, (REAL (*)[N][N][N])q, (REAL (*)[N][N])vx, (REAL (*)[N][N])vy,
           (REAL (*)[N][N])vz);
  for (size_t i = 0; i < cells; i++)
    sum += q[i];
  printf("%.6e\n", sum / (double)cells);
  free(q);
  free(vx);
  free(vy);
  free(vz);
  return 0;
}
