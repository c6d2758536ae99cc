/* rowsums2d: Arrays declared in the region, at its top and in the time loop, that several nests use.
 * hexcc-test: args=N,T run=1,3;2,2;3,1;4,5;9,0;16,3;40,3 warns=HX0203
 */
#include <stdio.h>
#include <stdlib.h>

static void rowsums2d(int N, int T, double A[N][N])
{
#pragma scop
  double weight[N];
  for (int i = 0; i < N; i++)
    weight[i] = 1.0 / (1.0 + i);
  for (int t = 0; t < T; t++) {
    double sum[N];
    double last[N];
    for (int i = 0; i < N; i++) {
      sum[i] = 0.0;
      for (int j = 0; j < N; j++)
        sum[i] += weight[j] * A[i][j];
    }
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        A[i][j] = 0.9 * A[i][j] - sum[i] / N;
    for (int j = 0; j < N; j++)
      last[j] = A[N-1][j];
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        A[i][j] += 0.5 * sum[j] * last[i];
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
  int N = argc > 1 ? atoi(argv[1]) : 32;
  int T = argc > 2 ? atoi(argv[2]) : 5;
  double (*A)[N] = (double (*)[N])malloc(sizeof(double[N][N]));

  fill(A, sizeof(double[N][N]));
  rowsums2d(N, T, A);
  add_to_hash(A, sizeof(double[N][N]));
  printf("%016llx\n", hash);
  return 0;
}
