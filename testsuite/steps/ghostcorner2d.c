/* ghostcorner2d: A torus of known size and number of steps, whose ghost rows are copied over the corners of ghost columns.
 * hexcc-test: args=SEED run=0;1;2
 */
#include <stdio.h>
#include <stdlib.h>

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

#define N 70

double A[N][N], B[N][N];

int main(int argc, char **argv)
{
  int seed = argc > 1 ? atoi(argv[1]) : 0;
  int t, i, j;

  for (i = 0; i <= seed; i++)
    fill(A, sizeof A);
  for (t = 0; t < 130; t++) {
    for (i = 0; i < N; i++) {
      A[i][0] = A[i][N - 2];
      A[i][N - 1] = A[i][1];
    }
    for (j = 0; j < N; j++) {
      A[0][j] = A[N - 2][j];
      A[N - 1][j] = A[1][j];
    }
    for (i = 1; i < N - 1; i++)
      for (j = 1; j < N - 1; j++)
        B[i][j] = 0.2 * (A[i][j] + A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]);
    for (i = 1; i < N - 1; i++)
      for (j = 1; j < N - 1; j++)
        A[i][j] = B[i][j];
  }
  add_to_hash(A, sizeof A);
  add_to_hash(B, sizeof B);
  printf("%016llx\n", hash);
  return 0;
}
