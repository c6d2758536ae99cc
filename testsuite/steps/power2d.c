/* power2d: Power iteration: a product with a matrix, normalised by a sum that all threads compute.
 * hexcc-test: args=N,T run=1,3;2,2;3,1;4,5;9,0;16,7;50,5;300,2 warns=HX0203 ulps=4096
 */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

static double power2d(int N, int T, double A[N][N], double x[N], double y[N])
{
  double sum = 0.0, value = 0.0;

#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 0; i < N; i++) {
      y[i] = 0.0;
      for (int j = 0; j < N; j++)
        y[i] += A[i][j] * x[j];
    }
    sum = 0.0;
    for (int i = 0; i < N; i++)
      sum += y[i] * y[i];
    value = sqrt(sum);
    for (int i = 0; i < N; i++)
      x[i] = y[i] / value;
  }
#pragma endscop
  return value;
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
  double value;
  double (*A)[N] = (double (*)[N])malloc(sizeof(double[N][N]));

  fill(A, sizeof(double[N][N]));
  double *x = (double *)malloc(sizeof(double[N]));
  double *y = (double *)malloc(sizeof(double[N]));

  fill(x, sizeof(double[N]));
  fill(y, sizeof(double[N]));
  value = power2d(N, T, A, x, y);
  add_to_hash(x, sizeof(double[N]));
  add_to_hash(y, sizeof(double[N]));
  add_to_hash(&value, sizeof value);
  printf("%016llx\n", hash);
  return 0;
}
