/* swapmixed2d: Planes in one block each and tables of rows that are swapped in the same loop, beside a table of constant rows, in steps of a host that looks at some.
 * hexcc-test: args=N,M,T,every run=1,1,3,1;3,3,1,1;3,4,2,2;4,5,3,9;9,8,6,2;24,40,9,4;50,70,12,5 warns=HX0107
 */
#include <stdio.h>
#include <stdlib.h>

static unsigned state = 1;

static double next(void)
{
  state = state * 1664525u + 1013904223u;
  return ((state >> 8) | 1) / 16777216.0;
}

static double **table(int N, int M)
{
  double **rows = malloc(N * sizeof(double *));

  for (int i = 0; i < N; i++) {
    rows[i] = malloc(M * sizeof(double));
    for (int j = 0; j < M; j++)
      rows[i][j] = next();
  }
  return rows;
}

static double *block(int n)
{
  double *a = malloc(n * sizeof *a);

  for (int i = 0; i < n; i++)
    a[i] = next();
  return a;
}

int main(int argc, char **argv)
{
  int N = argc > 1 ? atoi(argv[1]) : 32;
  int M = argc > 2 ? atoi(argv[2]) : 32;
  int T = argc > 3 ? atoi(argv[3]) : 5;
  int every = argc > 4 ? atoi(argv[4]) : 2;
  double *u = block(N * M), *v = block(N * M), **p = table(N, M), **q = table(N, M), **k = table(N, M);

  for (int t = 1; t <= T; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < M - 1; j++) {
        v[i * M + j] = u[i * M + j] + 0.1 * (p[i-1][j] + p[i+1][j] - 2.0 * k[i][j]);
        q[i][j] = p[i][j] + k[i][j] * (u[i * M + j - 1] + u[i * M + j + 1] - 2.0 * u[i * M + j]);
      }
    double *old = u, **older = p;
    u = v;
    v = old;
    p = q;
    q = older;
    if (t % every == 0)
      printf("%d: %a %a\n", t, u[N / 2 * M + M / 2], p[N / 2][M / 2]);
  }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      printf("%a %a %a %a\n", u[i * M + j], v[i * M + j], p[i][j], q[i][j]);
  return 0;
}
