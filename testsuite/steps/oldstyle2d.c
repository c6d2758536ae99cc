/* oldstyle2d: Definitions in the old style, with and without declarations before them.
 * hexcc-test: args=T run=0;1;5 warns=HX0107
 */
#include <stdio.h>
#include <stdlib.h>

#define N 100

double total();
static float weight();

static void step(n, from, to, w)
  int n;
  double from[N][N], to[N][N];
  float w;
{
  int i, j;

  for (i = 1; i < n - 1; i++)
    for (j = 1; j < n - 1; j++)
      to[i][j] = w * (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);
}

int main(argc, argv)
  int argc;
  char **argv;
{
  static double a[N][N], b[N][N];
  int steps = argc > 1 ? atoi(argv[1]) : 5, t, i, j;

  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++)
      a[i][j] = b[i][j] = (i * 7 + j * 3) % 13;
  for (t = 0; t < steps; t++) {
    step(N, a, b, weight(0.5));
    step(N, b, a, weight(0.5));
    printf("%d %.9g\n", t, a[3][4]);
  }
  printf("%.12e\n", total(a));
  return 0;
}

static float weight(x)
  float x;
{
  return x / 2;
}

double total(a)
  double a[N][N];
{
  double s = 0;
  int i, j;

  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++)
      s = s * 0.999 + a[i][j];
  return s;
}
