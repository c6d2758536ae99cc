/* matmul2d: Matrix product with a declared temporary sum, then its symmetric part.
 * hexcc-test: args=N run=1;2;3;7;16;33;50 warns=HX0203
 */
#include <stdio.h>
#include <stdlib.h>

static void matmul2d(int N, double C[N][N], double S[N][N], double A[N][N], double B[N][N])
{
#pragma scop
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double sum = 0.0;
      for (int k = 0; k < N; k++)
        sum += A[i][k] * B[k][j];
      C[i][j] = sum;
    }
  for (int i = 0; i < N; i++)
    for (int j = 0; j <= i; j++)
      S[i][j] = 0.5 * (C[i][j] + C[j][i]);
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
  double (*A)[N] = (double (*)[N])malloc(sizeof(double[N][N]));
  double (*B)[N] = (double (*)[N])malloc(sizeof(double[N][N]));
  double (*C)[N] = (double (*)[N])malloc(sizeof(double[N][N]));
  double (*S)[N] = (double (*)[N])malloc(sizeof(double[N][N]));

  fill(A, sizeof(double[N][N]));
  fill(B, sizeof(double[N][N]));
  fill(C, sizeof(double[N][N]));
  fill(S, sizeof(double[N][N]));
  matmul2d(N, C, S, A, B);
  add_to_hash(C, sizeof(double[N][N]));
  add_to_hash(S, sizeof(double[N][N]));
  printf("%016llx\n", hash);
  return 0;
}
