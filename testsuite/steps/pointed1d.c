/* pointed1d: The deepest loops print; the step is a function that is called through a pointer, as one that another file calls.
 * hexcc-test: args=N,T run=0,3;1,2;50,7;1000,20 warns=HX0107
 */
#include <stdio.h>
#include <stdlib.h>

static double *advance(int n, const double *u, double *next)
{
  int i;

  for (i = 1; i < n - 1; i++)
    next[i] = u[i] + 0.2 * (u[i-1] - 2.0 * u[i] + u[i+1]);
  return next;
}

static void show(int rows, int columns, const double *table)
{
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < columns; j++)
      printf(" %.17g", table[i * columns + j]);
    printf("\n");
  }
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 1000, steps = argc > 2 ? atoi(argv[2]) : 20;
  double *u = malloc((n + 1) * sizeof *u), *v = malloc((n + 1) * sizeof *v);
  double *(*step)(int, const double *, double *) = advance;
  int t;

  for (t = 0; t < n; t++)
    u[t] = v[t] = t * 37 % 101 * 0.01;
  for (t = 0; t < steps; t++) {
    double *old = u;

    u = step(n, u, v);
    v = old;
  }
  show(n / 10, 10, u);
  free(u);
  free(v);
  return 0;
}
