/* uchar2d: Unsigned char cells: the sum is computed in int by promotion and wraps when it is
 * stored.
 * hexcc-test: args=N,T run=1,3;2,1;3,2;4,5;9,0;16,7;33,8;48,9;64,16;70,17 tile=h=0,w=1:8;h=1,w=2:8;h=2,w=3:16
 */
#include <stdio.h>
#include <stdlib.h>

static void uchar2d(int N, int T, unsigned char A[2][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        A[(t+1)%2][i][j] = (5 * A[t%2][i][j] + 3 * A[t%2][i-1][j] + A[t%2][i+1][j]
                            + A[t%2][i][j-1] - 2 * A[t%2][i][j+1] + 7) >> 1;
#pragma endscop
}

static void fill(void *data, size_t size)
{
  static unsigned state = 1;
  unsigned char *x = (unsigned char *)data;

  for (size_t i = 0; i < size / sizeof *x; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = (state >> 24) | 1;
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
  int N = argc > 1 ? atoi(argv[1]) : 64;
  int T = argc > 2 ? atoi(argv[2]) : 20;
  size_t size = sizeof(unsigned char[2][N][N]);
  unsigned char (*A)[N][N] = (unsigned char (*)[N][N])malloc(size);

  fill(A, size);
  uchar2d(N, T, A);
  add_to_hash(A, size);
  printf("%016llx\n", hash);
  free(A);
  return 0;
}
