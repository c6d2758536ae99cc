/* maxcalls2d: The largest change, by a function of the file with two returns, of red and of black cells in rows
 * by pointer; assertions in the loops.
 * hexcc-test: args=N,M,E run=10,9,2;33,20,100;3,3,10 warns=HX0105,HX0118
 */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

double larger(double a, double b);

static int relax(double **u, int n, int m, double eps, int most)
{
  int i, j, steps = 0;
  double next, change = 10 * eps;

  while (change > eps && steps < most) {
    change = 0;
    for (i = 1; i < n - 1; i++)
      for (j = 1; j < m - 1; j++)
        if ((i + j) % 2 == 0) {
          next = 0.25 * (u[i-1][j] + u[i+1][j] + u[i][j-1] + u[i][j+1]);
          change = larger(change, fabs(next - u[i][j]));
          u[i][j] = next;
        }
    for (i = 1; i < n - 1; i++)
      for (j = 1; j < m - 1; j++) {
        assert(i > 0 && j < m);
        if ((i + j) % 2 == 1) {
          next = 0.25 * (u[i-1][j] + u[i+1][j] + u[i][j-1] + u[i][j+1]);
          change = larger(change, fabs(next - u[i][j]));
          u[i][j] = next;
        }
      }
    steps = steps + 1;
  }
  return steps;
}

double larger(double a, double b)
{
  if (a > b)
    return a;
  return b;
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 40, m = argc > 2 ? atoi(argv[2]) : 30;
  double eps = 1.0 / (argc > 3 ? atoi(argv[3]) : 100);
  double **u = malloc(n * sizeof(double *));

  for (int i = 0; i < n; i++) {
    u[i] = malloc(m * sizeof(double));
    for (int j = 0; j < m; j++)
      u[i][j] = (i * 31 + j * 17) % 23 / 2.0;
  }
  int steps = relax(u, n, m, eps, 200);
  double sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      sum += u[i][j] * (i + 2 * j);
  printf("%d %.17g\n", steps, sum);
  return 0;
}
