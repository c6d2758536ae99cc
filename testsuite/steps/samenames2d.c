/* samenames2d: Names that mean several things: a global that variables and iterators of callers hide, helpers whose
 * parameters are called like the caller's variables, which are defined behind their callers, and blocks that hide.
 * hexcc-test: args=T run=0;1;2;5
 */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define N 40
#define HALF(b) (0.5 * (b) * a)

static double a = 0.75, c = 0.5;
static double u[N][N], v[N][N];

double limited(double a, double b);
double least(double a, double b);
double sign(double a);

static double weight(double x) { return 0.5 * x + 0.25 * a; }

static double scaled(double b) { return HALF(b) + c; }

static double soft(double c, double n)
{
  { double c = n * 2.0; n = c * 0.25; }
  if (c > n) { double n = c * 0.5; c = n + c; }
  return 0.5 * n + 0.25 * c;
}

static double both(double c)
{
  double a = 0.125 * c;

  return weight(a) - scaled(c) * a;
}

int main(int argc, char **argv)
{
  int T = argc > 1 ? atoi(argv[1]) : 4;
  double a = 0.6, b = 0.3, sum = 0;

  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      u[i][j] = v[i][j] = (i * 7 + j * 3) % 11 / 11.0;
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int c = 1; c < N - 1; c++)
        v[i][c] = 0.2 * u[i-1][c] + 0.1 * weight(u[i][c+1]) * a + 0.1 * soft(u[i+1][c], b) + 0.1 * both(u[i][c-1]);
    for (int a = 1; a < N - 1; a++)
      for (int j = 1; j < N - 1; j++)
        u[a][j] = v[a][j] + 0.01 * limited(v[a][j] - v[a-1][j], v[a+1][j] - v[a][j]);
  }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += u[i][j] * ((i * 5 + j) % 7);
  printf("%.17g %g %g %g\n", sum, a, b, c);
  return 0;
}

double limited(double a, double b) { return 0.5 * (sign(a) + sign(b)) * least(a, b); }
double sign(double a) { return (0 < a) - (a < 0); }
double least(double a, double b) { if (fabs(a) < fabs(b)) return fabs(a); else return fabs(b); }
