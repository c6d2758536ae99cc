/* thirds1d: Of three time buffers that a pointer names, statements on two of three cells read and write two; a loop that never runs counts.
 * hexcc-test: args=N,T run=8,3;9,1;12,5;16,0;33,8;100,9;257,17 tile=h=3,w=4;h=5,w=8
 */
#include <stdio.h>
#include <stdlib.h>

static int t, i, n;

static void run(int N, int T, double A[3][N])
{
#pragma scop
  for (t = 0; t < T; t++) {
    for (i = 3; i < N - 4; i += 3) {
      if ((i + t) % 3 == 2)
        A[(t+2)%3][i] = 0.45 * A[(t+1)%3][i-3] + 0.45 * A[(t+1)%3][i+4];
      else
        A[(t+2)%3][i] = 0.5 * A[(t+1)%3][i-2] + 0.4 * A[(t+3)%3][i];
    }
    for (n = 5; n < 4; n++)
      A[t%3][n] = 0.0;
  }
#pragma endscop
}

static void fill(double *x, size_t n)
{
  static unsigned state = 1;

  for (size_t k = 0; k < n; k++) {
    state = state * 1664525u + 1013904223u;
    x[k] = ((state >> 8) | 1) / 16777216.0;
  }
}

static unsigned long long hash = 14695981039346656037ull;

static void add_to_hash(const void *data, size_t size)
{
  const unsigned char *byte = (const unsigned char *)data;

  for (size_t k = 0; k < size; k++)
    hash = (hash ^ byte[k]) * 1099511628211ull;
}

int main(int argc, char **argv)
{
  int N = argc > 1 ? atoi(argv[1]) : 64;
  int T = argc > 2 ? atoi(argv[2]) : 20;
  double (*A)[N] = (double (*)[N])malloc(sizeof(double[3][N]));

  fill(&A[0][0], 3 * (size_t)N);
  i = n = -1;
  run(N, T, A);
  add_to_hash(A, sizeof(double[3][N]));
  printf("%d %d %d %016llx\n", t, i, n, hash);
  free(A);
  return 0;
}
