/* sweep3d: A sweep along the middle dimension; the other two are parallel, and a line sum in each.
 * hexcc-test: args=N,T run=1,3;2,2;3,1;4,5;8,0;12,2;18,2 warns=HX0203
 */
#include <stdio.h>
#include <stdlib.h>

static void sweep3d(int N, int T, double A[N][N][N], double line[N][N])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 0; i < N; i++)
      for (int j = 1; j < N; j++)
        for (int k = 0; k < N; k++)
          A[i][j][k] = 0.6 * A[i][j][k] + 0.3 * A[i][j-1][k];
    for (int i = 0; i < N; i++)
      for (int k = 0; k < N; k++)
        line[k][i] = 0.0;
    for (int j = 0; j < N; j++)
      for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++)
          line[k][i] += A[i][j][k];
    for (int i = 1; i < N; i++)
      for (int j = 0; j < N; j++)
        for (int k = 0; k < N; k++)
          A[i][j][k] -= 0.2 * A[i-1][j][N-1-k] / (1.0 + line[k][i]);
  }
#pragma endscop
}

static void fill(void *data, size_t size)
{
  static unsigned state = 1;
  double *x = (double *)data;

  for (size_t i = 0; i < size / sizeof *x; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = ((state >> 8) | 1) / 16777216.0;
  }
}

static unsigned long long hash = 14695981039346656037ull;

static void add_to_hash(const void *data, size_t size)
{
  const unsigned char *byte = (const unsigned char *)data;

  for (size_t i = 0; i < size; i++)
    hash = (hash ^ byte[i]) * 1099511628211ull;
}

int main(int argc, char **argv)
{
  int N = argc > 1 ? atoi(argv[1]) : 10;
  int T = argc > 2 ? atoi(argv[2]) : 5;
  double (*A)[N][N] = (double (*)[N][N])malloc(sizeof(double[N][N][N]));

  fill(A, sizeof(double[N][N][N]));
  double (*line)[N] = (double (*)[N])malloc(sizeof(double[N][N]));

  fill(line, sizeof(double[N][N]));
  sweep3d(N, T, A, line);
  add_to_hash(A, sizeof(double[N][N][N]));
  add_to_hash(line, sizeof(double[N][N]));
  printf("%016llx\n", hash);
  return 0;
}
