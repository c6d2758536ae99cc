/* swaptables2d: Tables of rows that were allocated one by one, swapped after each step; the sides of a plane exist where a second step reads them.
 * hexcc-test: args=N,M,T run=1,1,3;2,4,1;3,3,0;3,3,1;3,3,2;4,9,3;9,5,5;16,20,7;33,40,8;70,60,17 variants=--tiling=hybrid
 */
#include <stdio.h>
#include <stdlib.h>

static unsigned state = 1;

static double **table(int N, int M, int inner)
{
  double **rows = malloc(N * sizeof *rows);

  for (int i = 0; i < N; i++) {
    rows[i] = NULL;
    if (inner && (i == 0 || i == N - 1))
      continue;
    rows[i] = malloc(M * sizeof **rows);
    for (int j = 0; j < M; j++) {
      state = state * 1664525u + 1013904223u;
      rows[i][j] = ((state >> 8) | 1) / 16777216.0;
    }
  }
  return rows;
}

static unsigned long long hash = 14695981039346656037ull;

static void add_to_hash(double **rows, int N, int M)
{
  for (int i = 0; i < N; i++)
    for (size_t b = 0; rows[i] && b < M * sizeof(double); b++)
      hash = (hash ^ ((unsigned char *)rows[i])[b]) * 1099511628211ull;
}

int main(int argc, char **argv)
{
  int N = argc > 1 ? atoi(argv[1]) : 32;
  int M = argc > 2 ? atoi(argv[2]) : 32;
  int T = argc > 3 ? atoi(argv[3]) : 5;
  double **u = table(N, M, 0), **v = table(N, M, T < 2), **k = table(N, M, 1), **first = u;

  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < M - 1; j++)
        v[i][j] = u[i][j] + k[i][j] * (u[i-1][j] + u[i+1][j] + u[i][j-1] + u[i][j+1] - 4.0 * u[i][j]);
    double **old = u;
    u = v;
    v = old;
  }
  add_to_hash(u, N, M);
  add_to_hash(v, N, M);
  printf("%016llx %d\n", hash, u == first);
  for (int i = 0; i < N; i++) {
    free(u[i]);
    free(v[i]);
    free(k[i]);
  }
  free(u);
  free(v);
  free(k);
  return 0;
}
