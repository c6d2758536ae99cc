/* grayscott2d: Gray-Scott reaction and diffusion of two substances in 2D.
 * hexcc-test: args=N,T run=3,4;9,5;40,6 bench=16384,100
 * -DREAL=double computes in double precision.
 */
#include <stdio.h>
#include <stdlib.h>

#ifndef REAL
#define REAL float
#endif
#define DU 0.16f
#define DV 0.08f
#define FEED 0.035f
#define KILL 0.06f

static void grayscott2d(int N, int T, REAL u[2][N][N], REAL v[2][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++) {
        REAL uvv = u[t%2][i][j] * v[t%2][i][j] * v[t%2][i][j];

        u[(t+1)%2][i][j] = u[t%2][i][j]
          + DU * (u[t%2][i-1][j] + u[t%2][i+1][j]
                  + u[t%2][i][j-1] + u[t%2][i][j+1]
                  - 4.0f * u[t%2][i][j])
          - uvv + FEED * (1.0f - u[t%2][i][j]);
        v[(t+1)%2][i][j] = v[t%2][i][j]
          + DV * (v[t%2][i-1][j] + v[t%2][i+1][j]
                  + v[t%2][i][j-1] + v[t%2][i][j+1]
                  - 4.0f * v[t%2][i][j])
          + uvv - (FEED + KILL) * v[t%2][i][j];
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
  REAL *u = field(2 * cells, 0.5, 0.5);
  REAL *v = field(2 * cells, 0, 0.3);
  double sum = 0;

  grayscott2d(N, T, (REAL (*)[N][N])u, (REAL (*)[N][N])v);
  for (size_t i = 0; i < cells; i++)
    sum += u[i];
  printf("%.6e\n", sum / (double)cells);
  free(u);
  free(v);
  return 0;
}
