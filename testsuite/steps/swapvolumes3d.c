/* swapvolumes3d: Tables of tables of rows, `float ***`, swapped after each step, beside a table of constant rows.
 * hexcc-test: args=L,N,M,T run=1,2,3,2;3,3,3,0;3,3,3,1;3,4,3,2;4,4,5,3;6,5,7,4;9,12,20,6;17,20,33,9
 */
#include <stdio.h>
#include <stdlib.h>

static unsigned state = 1;

static float *row(int M)
{
  float *a = malloc(M * sizeof *a);

  for (int i = 0; i < M; i++) {
    state = state * 1664525u + 1013904223u;
    a[i] = ((state >> 8) | 1) / 16777216.0f;
  }
  return a;
}

static float **table(int N, int M)
{
  float **rows = malloc(N * sizeof *rows);

  for (int i = 0; i < N; i++)
    rows[i] = row(M);
  return rows;
}

static float ***volume(int L, int N, int M)
{
  float ***tables = malloc(L * sizeof *tables);

  for (int i = 0; i < L; i++)
    tables[i] = table(N, M);
  return tables;
}

static unsigned long long hash = 14695981039346656037ull;

static void add_to_hash(float ***u, int L, int N, int M)
{
  for (int i = 0; i < L * N; i++)
    for (size_t b = 0; b < M * sizeof(float); b++)
      hash = (hash ^ ((unsigned char *)u[i / N][i % N])[b]) * 1099511628211ull;
}

int main(int argc, char **argv)
{
  int L = argc > 1 ? atoi(argv[1]) : 16;
  int N = argc > 2 ? atoi(argv[2]) : 16;
  int M = argc > 3 ? atoi(argv[3]) : 16;
  int T = argc > 4 ? atoi(argv[4]) : 5;
  float ***u = volume(L, N, M), ***v = volume(L, N, M), **k = table(N, M), ***swapped;

  for (int t = 0; t < T; t++) {
    for (int i = 1; i < L - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int m = 1; m < M - 1; m++)
          v[i][j][m] = 0.4f * u[i][j][m] + k[j][m] * (u[i-1][j][m] + u[i+1][j][m] + u[i][j-1][m] + u[i][j+1][m] + u[i][j][m-1] + u[i][j][m+1]);
    swapped = u, u = v, v = swapped;
  }
  add_to_hash(u, L, N, M);
  add_to_hash(v, L, N, M);
  printf("%016llx\n", hash);
  return 0;
}
