/* banded2d: Bounds that are the larger or smaller of two, by conditional expressions: a banded product.
 * hexcc-test: args=N,K run=1,0;1,3;2,1;5,2;9,20;16,4;40,5 warns=HX0203
 */
#include <stdio.h>
#include <stdlib.h>

static void banded2d(int N, int K, double C[N][N], double A[N][N], double B[N][N])
{
#pragma scop
  for (int i = 0; i < N; i++)
    for (int j = (i - K > 0 ? i - K : 0); j < (i + K + 1 < N ? i + K + 1 : N); j++) {
      C[i][j] = 0.0;
      for (int k = (i > j ? i : j); k < N; k++)
        C[i][j] += A[i][k] * B[k][j];
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
  int K = argc > 2 ? atoi(argv[2]) : 4;
  double (*C)[N] = (double (*)[N])malloc(sizeof(double[N][N]));
  double (*A)[N] = (double (*)[N])malloc(sizeof(double[N][N]));
  double (*B)[N] = (double (*)[N])malloc(sizeof(double[N][N]));

  fill(C, sizeof(double[N][N]));
  fill(A, sizeof(double[N][N]));
  fill(B, sizeof(double[N][N]));
  banded2d(N, K, C, A, B);
  add_to_hash(C, sizeof(double[N][N]));
  printf("%016llx\n", hash);
  return 0;
}
