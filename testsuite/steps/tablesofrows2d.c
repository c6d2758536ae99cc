/* tablesofrows2d: Rows that change between steps: tables swapped, rows swapped one by one, rows and tables made anew.
 * hexcc-test: args=m,n,T run=3,3,2;4,70,5;40,50,9;9,9000,4 warns=HX0105
 */
#include <stdio.h>
#include <stdlib.h>

static double **allocate(int m, int n)
{
  double **a = malloc(m * sizeof(double *));

  for (int i = 0; i < m; i++)
    a[i] = malloc(n * sizeof(double));
  return a;
}

static void release(int m, double **a)
{
  for (int i = 0; i < m; i++)
    free(a[i]);
  free(a);
}

/* Rows of a moved to memory of other sizes, and every third one made anew. */
static void renew(int m, int n, double **a, int more)
{
  for (int i = 0; i < m; i += 2)
    a[i] = realloc(a[i], (n + more) * sizeof(double));
  for (int i = 1; i < m; i += 3) {
    free(a[i]);
    a[i] = calloc(n, sizeof(double));
  }
}

static void steps(int m, int n, int T, double ***before, double ***after)
{
  double **u = *before, **v = *after;

  for (int t = 0; t < T; t++) {
    for (int i = 1; i < m - 1; i++)
      for (int j = 1; j < n - 1; j++)
        v[i][j] = 0.6 * u[i][j] + 0.1 * (u[i-1][j] + u[i+1][j] + u[i][j-1] + u[i][j+1]);
    if (t % 4 == 2)
      for (int i = 0; i < m; i++) {
        double *row = u[i];
        u[i] = v[i];
        v[i] = row;
      }
    else if (t % 4 == 3) {
      double *row = u[0];
      u[0] = u[m - 1];
      u[m - 1] = row;
    } else {
      double **w = u;
      u = v;
      v = w;
    }
  }
  *before = u;
  *after = v;
}

int main(int argc, char **argv)
{
  int m = argc > 1 ? atoi(argv[1]) : 40, n = argc > 2 ? atoi(argv[2]) : 50;
  int T = argc > 3 ? atoi(argv[3]) : 9;
  double **u = allocate(m, n), **v = allocate(m, n);
  double sum = 0;

  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      u[i][j] = v[i][j] = (i * 37 + j * 11) % 101 / 101.0;
  for (int round = 0; round < 3; round++) {
    steps(m, n, T, &u, &v);
    if (round == 1) {
      release(m, v);
      v = allocate(m, n);
      for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
          v[i][j] = i + j;
    } else
      renew(m, n, v, 7 * round);
  }
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      sum += u[i][j] * ((i * 7 + j) % 13) + v[i][j] * ((i + j * 3) % 7);
  printf("%.17g\n", sum);
  release(m, u);
  release(m, v);
  return 0;
}
