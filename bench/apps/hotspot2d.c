/* hotspot2d: temperature of a chip, a power for each cell.
 * hexcc-test: args=N,T run=3,4;9,5;40,6 bench=16384,100
 * -DREAL=double computes in double precision.
 */
#include <stdio.h>
#include <stdlib.h>

#ifndef REAL
#define REAL float
#endif

static void hotspot2d(int N, int T, REAL temp[2][N][N], REAL power[N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        temp[(t+1)%2][i][j] = temp[t%2][i][j] + 0.3f
          * (power[i][j] + 0.4f * (temp[t%2][i+1][j] + temp[t%2][i-1][j] - 2.0f * temp[t%2][i][j])
             + 0.4f * (temp[t%2][i][j+1] + temp[t%2][i][j-1] - 2.0f * temp[t%2][i][j])
             + 0.01f * (80.0f - temp[t%2][i][j]));
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
  REAL *temp = field(2 * cells, 320, 20);
  REAL *power = field(cells, 0, 0.01);
  double sum = 0;

  hotspot2d(N, T, (REAL (*)[N][N])temp, (REAL (*)[N])power);
  for (size_t i = 0; i < cells; i++)
    sum += temp[i];
  printf("%.6e\n", sum / (double)cells);
  free(temp);
  free(power);
  return 0;
}
