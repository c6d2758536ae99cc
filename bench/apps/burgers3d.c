/* burgers3d: Burgers' equations in 3D, three velocities, central differences.
 * hexcc-test: args=N,T run=3,4;7,5;18,4 bench=512,50
 * -DREAL=double computes in double precision.
 */
#include <stdio.h>
#include <stdlib.h>

#ifndef REAL
#define REAL float
#endif
#define NEW(q) (q[t%2][i][j][k] \
  - 0.1f * u[t%2][i][j][k] * (q[t%2][i+1][j][k] - q[t%2][i-1][j][k]) \
  - 0.1f * v[t%2][i][j][k] * (q[t%2][i][j+1][k] - q[t%2][i][j-1][k]) \
  - 0.1f * w[t%2][i][j][k] * (q[t%2][i][j][k+1] - q[t%2][i][j][k-1]) \
  + 0.05f * (q[t%2][i-1][j][k] + q[t%2][i+1][j][k] + q[t%2][i][j-1][k] + q[t%2][i][j+1][k] \
             + q[t%2][i][j][k-1] + q[t%2][i][j][k+1] - 6.0f * q[t%2][i][j][k]))

static void burgers3d(int N, int T, REAL u[2][N][N][N], REAL v[2][N][N][N], REAL w[2][N][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++) {
          u[(t+1)%2][i][j][k] = NEW(u);
          v[(t+1)%2][i][j][k] = NEW(v);
          w[(t+1)%2][i][j][k] = NEW(w);
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
  REAL *u = field(2 * cells, 0, 0.1);
  REAL *v = field(2 * cells, 0, 0.1);
  REAL *w = field(2 * cells, 0, 0.1);
  double sum = 0;

  burgers3d(N, T, (REAL (*)[N][N][N])u, (REAL (*)[N][N][N])v, (REAL (*)[N][N][N])w);
  for (size_t i = 0; i < cells; i++)
    sum += u[i];
  printf("%.6e\n", sum / (double)cells);
  free(u);
  free(v);
  free(w);
  return 0;
}
