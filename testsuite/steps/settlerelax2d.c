/* settlerelax2d: A loop that ends when its cells say so, and a sweep in place in another function, the nests of which run beside it.
 * hexcc-test: args=N,T run=3,2;20,5;65,40;130,60 warns=HX0212
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Steps of Jacobi until no cell changes by more than the tolerance. */
static int settle(int n, double (*u)[n], double (*v)[n], double tolerance, int max)
{
  double change;
  int steps = 0;

  do {
    change = 0;
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++) {
        change = fmax(change, fabs(v[i][j] - u[i][j]));
        u[i][j] = v[i][j];
      }
  } while (change > tolerance && ++steps < max);
  return steps;
}

/* The same in place. */
static int relax(int n, double (*u)[n], double tolerance, int max)
{
  double change = 2 * tolerance;
  int steps;

  for (steps = 0; steps < max && change > tolerance; steps++) {
    change = 0;
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++) {
        double new = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);

        change = fmax(change, fabs(new - u[i][j]));
        u[i][j] = new;
      }
  }
  return steps;
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 65, most = argc > 2 ? atoi(argv[2]) : 40;
  double (*u)[n] = malloc(sizeof(double[n][n])), (*v)[n] = malloc(sizeof(double[n][n])), sum = 0;

  if (!u || !v)
    return 1;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      u[i][j] = v[i][j] = (i * 7 + j * 13) % 31 * 0.1;
  printf("%d steps\n", settle(n, u, v, 3e-3, most));
  printf("%d steps\n", relax(n, u, 1e-3, most));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      sum += u[i][j] * (i + 2 * j);
  printf("%.17g\n", sum);
  free(u);
  free(v);
  return 0;
}
