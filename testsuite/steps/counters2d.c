/* counters2d: Iterators declared outside of the region and used after it.
 * hexcc-test: args=N,T run=0,2;1,3;2,2;3,1;4,5;9,0;16,3;40,3 warns=HX0204
 */
#include <stdio.h>
#include <stdlib.h>

static int counters2d(int N, int T, double A[N][N], double B[N][N])
{
  int t, i = -7, j = -9;

#pragma scop
  for (t = 0; t < T; t += 2) {
    for (i = 1; i < N - 1; i++)
      for (j = 1; j < N - 1; j++)
        B[i][j] = A[i][j] + 0.1 * (A[N-1-i][j] - A[i][N-1-j]);
    for (i = N - 2; i > 0; i--)
      for (j = 1; j < N - 1; j++)
        A[i][j] = B[i][j];
  }
#pragma endscop
  return 10000 * t + 100 * i + j;
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
  int count;
  double (*A)[N] = (double (*)[N])malloc(sizeof(double[N][N]));
  double (*B)[N] = (double (*)[N])malloc(sizeof(double[N][N]));

  fill(A, sizeof(double[N][N]));
  fill(B, sizeof(double[N][N]));
  count = counters2d(N, T, A, B);
  add_to_hash(A, sizeof(double[N][N]));
  add_to_hash(B, sizeof(double[N][N]));
  add_to_hash(&count, sizeof count);
  printf("%016llx\n", hash);
  return 0;
}
