/* binomial2d: an image smoothed again and again by a binomial filter of 5 x 5.
 * hexcc-test: args=N,T run=5,4;9,5;40,6 bench=16384,100
 * -DREAL=double computes in double precision.
 */
#include <stdio.h>
#include <stdlib.h>

#ifndef REAL
#define REAL float
#endif

static void binomial2d(int N, int T, REAL a[2][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 2; i < N - 2; i++)
      for (int j = 2; j < N - 2; j++)
        a[(t+1)%2][i][j] = 0.00390625f
          * (1.0f * a[t%2][i-2][j-2] + 4.0f * a[t%2][i-2][j-1] + 6.0f * a[t%2][i-2][j]
             + 4.0f * a[t%2][i-2][j+1] + 1.0f * a[t%2][i-2][j+2]
             + 4.0f * a[t%2][i-1][j-2] + 16.0f * a[t%2][i-1][j-1] + 24.0f * a[t%2][i-1][j]
             + 16.0f * a[t%2][i-1][j+1] + 4.0f * a[t%2][i-1][j+2]
             + 6.0f * a[t%2][i][j-2] + 24.0f * a[t%2][i][j-1] + 36.0f * a[t%2][i][j]
             + 24.0f * a[t%2][i][j+1] + 6.0f * a[t%2][i][j+2]
             + 4.0f * a[t%2][i+1][j-2] + 16.0f * a[t%2][i+1][j-1] + 24.0f * a[t%2][i+1][j]
             + 16.0f * a[t%2][i+1][j+1] + 4.0f * a[t%2][i+1][j+2]
             + 1.0f * a[t%2][i+2][j-2] + 4.0f * a[t%2][i+2][j-1] + 6.0f * a[t%2][i+2][j]
             + 4.0f * a[t%2][i+2][j+1] + 1.0f * a[t%2][i+2][j+2]);
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
  REAL *a = field(2 * cells, 0, 1);
  double sum = 0;

  binomial2d(N, T, (REAL (*)[N][N])a);
  for (size_t i = 0; i < cells; i++)
    sum += a[i];
  printf("%.6e\n", sum / (double)cells);
  free(a);
  return 0;
}
