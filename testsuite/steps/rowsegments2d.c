/* rowsegments2d: Rows allocated one by one, copied back, with a line of output every so many steps.
 * hexcc-test: args=N,T run=1,3;3,1;4,12;9,14;40,26;57,0;70,9 warns=HX0107
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

int main(int argc, char **argv)
{
  int N = argc > 1 ? atoi(argv[1]) : 20;
  int T = argc > 2 ? atoi(argv[2]) : 25;
  double **A = malloc(N * sizeof(double *)), **B = malloc(N * sizeof(double *));

  for (int i = 0; i < N; i++) {
    A[i] = malloc(N * sizeof(double));
    B[i] = malloc(N * sizeof(double));
    fill(A[i], N * sizeof(double));
    fill(B[i], N * sizeof(double));
  }
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        B[i][j] = 0.25 * (A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]);
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        A[i][j] = B[i][j];
    if (t % 10 == 0)
      printf("%d %a\n", t, A[N / 2][N / 3]);
  }
  for (int i = 0; i < N; i++) {
    add_to_hash(A[i], N * sizeof(double));
    add_to_hash(B[i], N * sizeof(double));
  }
  printf("%016llx\n", hash);
  return 0;
}
