/* median2d: A small local array is filled from a window and sorted in loops of constant length.
 * hexcc-test: args=N,T run=1,3;2,2;3,1;4,2;9,0;16,3;33,2 warns=HX0203
 */
#include <stdio.h>
#include <stdlib.h>

static void median2d(int N, int T, double A[N][N], double B[N][N])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++) {
        double in[9];
        for (int a = 0; a < 3; a++)
          for (int b = 0; b < 3; b++)
            in[3*a+b] = A[i+a-1][j+b-1];
        for (int m = 0; m < 5; m++)
          for (int n = m + 1; n < 9; n++) {
            double low = in[m] < in[n] ? in[m] : in[n];
            in[n] = in[m] < in[n] ? in[n] : in[m];
            in[m] = low;
          }
        B[i][j] = in[4];
      }
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        A[i][j] = 0.75 * B[i][j] + 0.25 * A[i][j];
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

  fill(A, sizeof(double[N][N]));
  fill(B, sizeof(double[N][N]));
  median2d(N, T, A, B);
  add_to_hash(A, sizeof(double[N][N]));
  add_to_hash(B, sizeof(double[N][N]));
  printf("%016llx\n", hash);
  return 0;
}
