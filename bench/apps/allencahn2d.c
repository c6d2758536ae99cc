/* allencahn2d: Allen-Cahn equation in 2D, a copy of the field in each step.
 * hexcc-test: args=N,T run=3,4;9,5;40,6 bench=16384,100
 * -DREAL=double computes in double precision.
 */
#include <stdio.h>
#include <stdlib.h>

#ifndef REAL
#define REAL float
#endif

static void allencahn2d(int N, int T, REAL phi[N][N], REAL next[N][N])
{
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        next[i][j] = phi[i][j] + 0.1f * (phi[i-1][j] + phi[i+1][j] + phi[i][j-1] + phi[i][j+1]
                                         - 4.0f * phi[i][j])
          + 0.05f * (phi[i][j] - phi[i][j] * phi[i][j] * phi[i][j]);
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        phi[i][j] = next[i][j];
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
  REAL *phi = field(cells, -1, 2);
  REAL *next = field(cells, 0, 1);
  double sum = 0;

  allencahn2d(N, T, (REAL (*)[N])phi, (REAL (*)[N])next);
  for (size_t i = 0; i < cells; i++)
    sum += phi[i];
  printf("%.6e\n", sum / (double)cells);
  free(phi);
  free(next);
  return 0;
}
