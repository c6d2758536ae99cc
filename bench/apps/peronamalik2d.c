/* peronamalik2d: Perona-Malik diffusion of an image, exponentials at four faces.
 * hexcc-test: args=N,T run=3,4;9,5;40,6 bench=16384,100 ulps=64
 * -DREAL=double computes in double precision.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef REAL
#define REAL float
#endif
#define G(d) expf(-(d) * (d) * 25.0f)

static void peronamalik2d(int N, int T, REAL a[2][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++) {
        REAL n = a[t%2][i-1][j] - a[t%2][i][j];
        REAL s = a[t%2][i+1][j] - a[t%2][i][j];
        REAL w = a[t%2][i][j-1] - a[t%2][i][j];
        REAL e = a[t%2][i][j+1] - a[t%2][i][j];

        a[(t+1)%2][i][j] = a[t%2][i][j] + 0.2f * (G(n) * n + G(s) * s + G(w) * w + G(e) * e);
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
  REAL *a = field(2 * cells, 0, 1);
  double sum = 0;

  peronamalik2d(N, T, (REAL (*)[N][N])a);
  for (size_t i = 0; i < cells; i++)
    sum += a[i];
  printf("%.6e\n", sum / (double)cells);
  free(a);
  return 0;
}
