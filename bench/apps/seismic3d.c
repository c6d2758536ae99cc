/* seismic3d: acoustic3d with a sponge at the edges and a source in the middle.
 * hexcc-test: args=N,T run=9,3;12,4;21,5 bench=512,50
 * -DREAL=double computes in double precision.
 */
#include <stdio.h>
#include <stdlib.h>

#ifndef REAL
#define REAL float
#endif

static void seismic3d(int N, int T, REAL u[3][N][N][N], REAL vel[N][N][N], REAL sponge[N][N][N],
                      const REAL *wavelet)
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 4; i < N - 4; i++)
      for (int j = 4; j < N - 4; j++)
        for (int k = 4; k < N - 4; k++)
          u[(t+2)%3][i][j][k] = (1.0f - sponge[i][j][k])
            * (2.0f * u[(t+1)%3][i][j][k] - (1.0f - sponge[i][j][k]) * u[t%3][i][j][k]
            + vel[i][j][k] * (-2.847222f * 3.0f * u[(t+1)%3][i][j][k]
              + 1.6f * (u[(t+1)%3][i-1][j][k] + u[(t+1)%3][i+1][j][k]
                        + u[(t+1)%3][i][j-1][k] + u[(t+1)%3][i][j+1][k]
                        + u[(t+1)%3][i][j][k-1] + u[(t+1)%3][i][j][k+1])
              - 0.2f * (u[(t+1)%3][i-2][j][k] + u[(t+1)%3][i+2][j][k]
                        + u[(t+1)%3][i][j-2][k] + u[(t+1)%3][i][j+2][k]
                        + u[(t+1)%3][i][j][k-2] + u[(t+1)%3][i][j][k+2])
              + 0.025396826f * (u[(t+1)%3][i-3][j][k] + u[(t+1)%3][i+3][j][k]
                                + u[(t+1)%3][i][j-3][k] + u[(t+1)%3][i][j+3][k]
                                + u[(t+1)%3][i][j][k-3] + u[(t+1)%3][i][j][k+3])
              - 0.0017857143f * (u[(t+1)%3][i-4][j][k] + u[(t+1)%3][i+4][j][k]
                                 + u[(t+1)%3][i][j-4][k] + u[(t+1)%3][i][j+4][k]
                                 + u[(t+1)%3][i][j][k-4] + u[(t+1)%3][i][j][k+4])));
    u[(t+2)%3][N/2][N/2][N/2] += wavelet[t];
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
  REAL *u = field(3 * cells, -1, 2);
  REAL *vel = field(cells, 0.01, 0.05);
  REAL *sponge = field(cells, 0.0, 0.05);
  REAL *wavelet = field((size_t)T + 1, -1, 2);
  double sum = 0;

  seismic3d(N, T, (REAL (*)[N][N][N])u, (REAL (*)[N][N])vel, (REAL (*)[N][N])sponge, wavelet);
  for (size_t i = 0; i < cells; i++)
    sum += u[i];
  printf("%.6e\n", sum / (double)cells);
  free(u);
  free(vel);
  free(sponge);
  free(wavelet);
  return 0;
}
