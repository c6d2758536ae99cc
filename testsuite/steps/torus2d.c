/* torus2d: A torus of any size: neighbours by conditional expressions.
 * hexcc-test: args=N,T run=1,3;2,2;3,1;4,5;9,0;16,7;40,6;57,3
 */
#include <stdio.h>
#include <stdlib.h>

static void torus2d(int N, int T, double A[2][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        A[(t+1)%2][i][j] = 0.2 * (A[t%2][i][j]
                                  + A[t%2][i == 0 ? N - 1 : i - 1][j]
                                  + A[t%2][i == N - 1 ? 0 : i + 1][j]
                                  + A[t%2][i][j == 0 ? N - 1 : j - 1]
                                  + A[t%2][i][j == N - 1 ? 0 : j + 1]);
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
  size_t size = sizeof(double[2][N][N]);
  double (*A)[N][N] = (double (*)[N][N])malloc(size);

  fill(A, size);
  torus2d(N, T, A);
  add_to_hash(A, size);
  printf("%016llx\n", hash);
  return 0;
}
