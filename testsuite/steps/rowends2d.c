/* rowends2d: Neighbours in rows that exist under conditions on iterators only, and under one on data that says nothing of them.
 * hexcc-test: args=m,n,T run=1,3,2;2,1,3;3,2,1;4,9,5;40,33,7 warns=HX0107
 */
#include <stdio.h>
#include <stdlib.h>

static double **allocate(int m, int n)
{
  double **a = malloc(m * sizeof *a);

  for (int i = 0; i < m; i++) {
    a[i] = malloc(n * sizeof **a);
    for (int j = 0; j < n; j++)
      a[i][j] = (i * 31 + j * 17) % 101 * 0.01;
  }
  return a;
}

static void step(int m, int n, double **u, double **v)
{
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      v[i][j] = 0.25 * ((i > 0 ? u[i-1][j] : 1.0) + (i < m - 1 ? u[i+1][j] : u[i][j]) + (j > 0 && j < n - 1 ? u[i][j-1] + u[i][j+1] : 0.5));
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      if (v[i][j] > 0.5)
        u[i][j] += v[i][j] - u[i][j] * 0.5;
      else
        u[i][j] = v[i][j];
}

int main(int argc, char **argv)
{
  int m = argc > 1 ? atoi(argv[1]) : 40;
  int n = argc > 2 ? atoi(argv[2]) : 33;
  int T = argc > 3 ? atoi(argv[3]) : 7;
  double **u = allocate(m, n), **v = allocate(m, n), sum = 0;

  for (int t = 0; t < T; t++) {
    step(m, n, u, v);
    printf("step %d: %.17g\n", t, u[m/2][n/2]);
  }
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      sum += u[i][j] * (i + 2 * j);
  printf("%.17g\n", sum);
  return 0;
}
