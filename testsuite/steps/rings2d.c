/* rings2d: Wrap-around by `%` with sizes, in rows and columns, of flat arrays and of arrays with dimensions.
 * hexcc-test: args=M,N,T run=1,1,3;2,1,3;1,3,2;4,4,3;9,12,5;33,16,7 warns=HX0107
 */
#include <stdio.h>
#include <stdlib.h>

static int m, n;

static int at(int i, int j) { return ((i + m) % m) * n + (j + n) % n; }

static void spread(const double *u, double *v)
{
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      v[at(i, j)] = 0.25 * (u[at(i - 1, j)] + u[at(i + 1, j)] + u[at(i, j - 1)] + u[at(i, j + 1)]);
}

static void shift(int rows, int cols, double a[rows][cols], double b[rows][cols])
{
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < cols; j++) {
      int l = (j + cols - 2) % cols, r = (j + 2) % cols, up = (i + 1) % rows;

      b[up][j] = a[i][l] - 0.5 * a[up][r];
    }
}

int main(int argc, char **argv)
{
  int steps;
  double *u, *v, *swap;

  m = argc > 1 ? atoi(argv[1]) : 20;
  n = argc > 2 ? atoi(argv[2]) : 30;
  steps = argc > 3 ? atoi(argv[3]) : 5;
  u = malloc(sizeof(double) * m * n);
  v = malloc(sizeof(double) * m * n);
  if (!u || !v)
    return 1;
  for (int k = 0; k < m * n; k++)
    u[k] = v[k] = (k * 31 % 101 - 50) * 0.1;
  for (int t = 0; t < steps; t++) {
    spread(u, v);
    swap = u;
    u = v;
    v = swap;
    shift(m, n, (double (*)[n])u, (double (*)[n])v);
    printf("%.17g %.17g\n", u[m / 2 * n + n / 2], v[m / 2 * n]);
  }
  for (int k = 0; k < m * n; k++)
    printf("%.17g %.17g\n", u[k], v[k]);
  free(u);
  free(v);
  return 0;
}
