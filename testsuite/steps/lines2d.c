/* lines2d: Tridiagonal systems along rows and columns: every thread has the arrays of its line for itself.
 * hexcc-test: args=T run=0;1;6 warns=HX0203
 *
 * The line lies in arrays of the function around the time loop, and in one of a function that it calls.
 */
#include <stdio.h>
#include <stdlib.h>

#define NX 90
#define NY 75

static double u[NX][NY], v[NX][NY];

static void solve(int n, double r, double *d, double *x)
{
  double c[128];
  int i;

  c[0] = 0.0;
  for (i = 1; i < n - 1; i++) {
    double m = (2.0 + 2.0 * r) + r * c[i - 1];
    c[i] = -r / m;
    d[i] = (d[i] + r * d[i - 1]) / m;
  }
  x[n - 1] = d[n - 1];
  for (i = n - 2; i > 0; i--)
    x[i] = d[i] - c[i] * x[i + 1];
  x[0] = d[0];
}

int main(int argc, char **argv)
{
  int T = argc > 1 ? atoi(argv[1]) : 6, n, i, j;
  double r = 1.5, d[128], x[128], s = 0;

  for (i = 0; i < NX; i++)
    for (j = 0; j < NY; j++)
      u[i][j] = v[i][j] = (i * 13 + j * 7) % 23 * 0.125;
  for (n = 0; n < T; n++) {
    for (j = 1; j < NY - 1; j++) {
      d[0] = u[0][j];
      d[NX - 1] = u[NX - 1][j];
      for (i = 1; i < NX - 1; i++)
        d[i] = r * u[i][j - 1] + (2.0 - 2.0 * r) * u[i][j] + r * u[i][j + 1];
      solve(NX, r, d, x);
      for (i = 0; i < NX; i++)
        v[i][j] = x[i];
    }
    for (i = 1; i < NX - 1; i++) {
      d[0] = v[i][0];
      d[NY - 1] = v[i][NY - 1];
      for (j = 1; j < NY - 1; j++)
        d[j] = r * v[i - 1][j] + (2.0 - 2.0 * r) * v[i][j] + r * v[i + 1][j];
      solve(NY, r, d, x);
      for (j = 0; j < NY; j++)
        u[i][j] = x[j];
    }
  }
  for (i = 0; i < NX; i++)
    for (j = 0; j < NY; j++)
      s = s * 0.999 + u[i][j] * (j % 7);
  printf("%.12e\n", s);
  return 0;
}
