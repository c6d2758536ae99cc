/* rows2d: Rows allocated one by one, tables of them swapped, and single rows, in a time loop with prints.
 * hexcc-test: args=m,n,T run=3,3,1;4,9,2;40,3,5;33,70,11;24,9000,3 warns=HX0107
 */
#include <stdio.h>
#include <stdlib.h>

static double **allocate(int m, int n)
{
  double **a = (double **)malloc(m * sizeof(double *));

  for (int i = 0; i < m; i++) {
    a[i] = (double *)malloc(n * sizeof(double));
    for (int j = 0; j < n; j++)
      a[i][j] = (i * 31 + j * 17) % 101 * 0.01;
  }
  return a;
}

static void sides(double **u, int m, int n)
{
  for (int j = 0; j < n; j++) {
    u[0][j] = u[1][j];
    u[m-1][j] = 0.5 * u[m-2][j];
  }
}

int main(int argc, char **argv)
{
  int m = argc > 1 ? atoi(argv[1]) : 33;
  int n = argc > 2 ? atoi(argv[2]) : 70;
  int T = argc > 3 ? atoi(argv[3]) : 11;
  double **u = allocate(m, n), **v = allocate(m, n), **old;
  double *row, sum = 0;

  for (int t = 0; t < T; t++) {
    for (int i = 1; i < m - 1; i++)
      for (int j = 1; j < n - 1; j++)
        v[i][j] = 0.25 * (u[i-1][j] + u[i+1][j] + u[i][j-1] + u[i][j+1]);
    sides(v, m, n);
    row = v[0];
    v[0] = v[m/2];
    v[m/2] = row;
    old = u;
    u = v;
    v = old;
    if (t % 2 == 0)
      printf("step %d: %.17g\n", t, u[m/2][n/2]);
  }
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      sum += u[i][j] * (i + 2 * j);
  printf("%.17g\n", sum);
  return 0;
}
