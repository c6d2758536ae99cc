/* undeclared2d: C89: functions that are called before the file defines them.
 * hexcc-test: args=N run=2;9;40 warns=HX0107
 */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#ifndef __cplusplus
#pragma GCC diagnostic ignored "-Wimplicit-function-declaration"
#endif

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 40, i, step;
  double *u = (double *)malloc(n * n * sizeof(double)), *v = (double *)malloc(n * n * sizeof(double));

  for (i = 0; i < n * n; i++)
    u[i] = v[i] = i % 17 * 0.25;
  for (step = 0; step < 12; step++) {
    relax(n, u, v);
    boundary(n, v);
    relax(n, v, u);
    if (is_report(step))
      printf("%d %.17g\n", step, u[n * n / 2]);
  }
  printf("%.17g\n", u[n + 1]);
  free(u);
  free(v);
  return 0;
}

/* One step of Jacobi. */
int relax(int n, double *from, double *to)
{
  int i, j;

  for (i = 1; i < n - 1; i++)
    for (j = 1; j < n - 1; j++)
      to[i*n+j] = 0.25 * (from[(i-1)*n+j] + from[(i+1)*n+j] + from[i*n+j-1] + from[i*n+j+1]);
  return 0;
}

int boundary(int n, double rows[n][n])
{
  for (int j = 0; j < n; j++)
    rows[0][j] = mean(1, (int)rows[0][j]);
  return 0;
}

int mean(int weight, int x)
{
  return (weight + x) / 2;
}

int is_report(int step)
{
  return step % 5 == 0;
}
