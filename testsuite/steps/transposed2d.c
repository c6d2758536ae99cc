/* transposed2d: Transposed reads and writes: the contiguous dimension is not always the inner loop.
 * hexcc-test: args=N,T run=1,3;2,2;3,1;4,5;9,0;16,7;40,3 warns=HX0204
 */
#include <stdio.h>
#include <stdlib.h>

static void transposed2d(int N, int T, double A[N][N], double B[N][N], double C[N][N])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        B[j][i] = 0.5 * (A[i][j] + A[j][i]);
    for (int i = 0; i < N; i++)
      for (int j = 1; j < N - 1; j++)
        C[j][i] = B[j-1][i] - B[j+1][i];
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        A[N-1-j][i] = B[i][j] + 0.25 * C[N-1-j][N-1-i];
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
  double (*B)[N] = (double (*)[N])malloc(sizeof(double[N][N]));
  double (*C)[N] = (double (*)[N])malloc(sizeof(double[N][N]));

  fill(A, sizeof(double[N][N]));
  fill(B, sizeof(double[N][N]));
  fill(C, sizeof(double[N][N]));
  transposed2d(N, T, A, B, C);
  add_to_hash(A, sizeof(double[N][N]));
  add_to_hash(B, sizeof(double[N][N]));
  add_to_hash(C, sizeof(double[N][N]));
  printf("%016llx\n", hash);
  return 0;
}
