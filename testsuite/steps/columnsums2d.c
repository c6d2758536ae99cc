/* columnsums2d: Sums by column with the sum in the inner loop, in float and double, and a largest value.
 * hexcc-test: args=N,M run=1,1;2,3;3,2;5,5;16,9;33,20;64,70
 */
#include <stdio.h>
#include <stdlib.h>

static void columnsums2d(int N, int M, float A[N][M], double sum[M], float largest[M], int where[M])
{
#pragma scop
  for (int j = 0; j < M; j++) {
    sum[j] = 0;
    largest[j] = A[0][j];
    where[j] = 0;
  }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) {
      sum[j] += A[i][j];
      where[j] = A[i][j] > largest[j] ? i : where[j];
      largest[j] = A[i][j] > largest[j] ? A[i][j] : largest[j];
    }
#pragma endscop
}

static void fill(void *data, size_t size)
{
  static unsigned state = 1;
  float *x = (float *)data;

  for (size_t i = 0; i < size / sizeof *x; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = ((state >> 8) | 1) / 16777216.0f;
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
  int M = argc > 2 ? atoi(argv[2]) : 32;
  float (*A)[M] = (float (*)[M])malloc(sizeof(float[N][M]));

  fill(A, sizeof(float[N][M]));
  double *sum = (double *)malloc(sizeof(double[M]));

  fill(sum, sizeof(double[M]));
  float *largest = (float *)malloc(sizeof(float[M]));

  fill(largest, sizeof(float[M]));
  int *where = (int *)malloc(sizeof(int[M]));

  fill(where, sizeof(int[M]));
  columnsums2d(N, M, A, sum, largest, where);
  add_to_hash(sum, sizeof(double[M]));
  add_to_hash(largest, sizeof(float[M]));
  add_to_hash(where, sizeof(int[M]));
  printf("%016llx\n", hash);
  return 0;
}
