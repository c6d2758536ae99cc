/* sumends2d: A loop that ends when the root of a mean of squares says so, which a function returns.
 * hexcc-test: args=N,T run=3,2;20,5;65,40;130,90 warns=HX0208 ulps=4096
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define AT(i, j) ((i) * m + (j))

/* The root of the mean of squares. */
static double norm(int n, int m, const double *a, const double *b)
{
  double sum = 0;

  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++) {
      double d = a[AT(i, j)] - b[AT(i, j)];

      sum += d * d;
    }
  return sqrt(sum / ((double)n * m));
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 65, most = argc > 2 ? atoi(argv[2]) : 40, m = n + 7, steps = 0;
  double *u = malloc(sizeof(double) * n * m), *v = malloc(sizeof(double) * n * m), change = 1;

  if (!u || !v)
    return 1;
  for (int i = 0; i < n * m; i++)
    u[i] = v[i] = i * 31 % 101 * 0.01;
  while (change > 3e-3 && steps < most) {
    double *old = u;

    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++)
        v[AT(i, j)] = 0.25 * (u[AT(i - 1, j)] + u[AT(i + 1, j)] + u[AT(i, j - 1)] + u[AT(i, j + 1)]);
    change = norm(n, m, v, u);
    u = v;
    v = old;
    steps++;
  }
  printf("%d steps, %.9g, %.17g\n", steps, change, u[AT(n / 2, m / 2)]);
  free(u);
  free(v);
  return 0;
}
