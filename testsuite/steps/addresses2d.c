/* addresses2d: Elements that are named by their addresses, `*(u + i*n + j)`, also of rows, behind a pointer
 * and as the value of a function.
 * hexcc-test: args=n,T run=3,1;4,2;17,5;40,3 warns=HX0107
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double left(double *u, int n, int i, int j)
{
  return *(u + i * n + j - 1);
}

static void step(double *u, double *v, int n, double *change)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double c = *(u + i * n + j);
      double l = j == 0 ? 1.5 : left(u, n, i, j);
      double r = (j == n - 1) ? -*(u + i * n + j - 1) : *(u + i * n + j + 1);
      *(v + i * n + j) = c + 0.25 * (l - 2 * (c) + r);
    }
  *change = 0.0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      *change = fmax(*change, *(v + i * n + j) - *(u + i * n + j));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      *(u + i * n + j) = *(v + i * n + j);
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 40, T = argc > 2 ? atoi(argv[2]) : 3;
  double *u = malloc(n * n * sizeof *u), *v = malloc(n * n * sizeof *v), change;

  for (int i = 0; i < n * n; i++)
    u[i] = v[i] = (i * 37 % 11) * 0.125;
  for (int t = 0; t < T; t++) {
    step(u, v, n, &change);
    printf("%d %.17g\n", t, change);
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      printf("%.17g\n", *(u + i * n + j));
  free(u);
  free(v);
  return 0;
}
