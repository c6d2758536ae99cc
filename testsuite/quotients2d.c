/* quotients2d: sums divided by constants, of numbers of all sizes, subnormal ones and zeros of
 * both signs among them.
 * hexcc-test: args=N,T run=1,3;3,2;9,0;16,7;33,8;70,17 tile=h=1,w=2:8;h=2,w=3:16 variants=--reuse=none;--fast-math stream=steps=4,vector=1;steps=3,vector=4
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void quotients2d(int N, int T, float A[2][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        A[(t+1)%2][i][j] = (A[t%2][i-1][j] + A[t%2][i+1][j]) / 3.1f + A[t%2][i][j-1] / 6
          - A[t%2][i][j+1] / 4.0f - A[t%2][i][j] / 49.7f;
#pragma endscop
}

static void fill(void *data, size_t size)
{
  static unsigned state = 1;
  float *x = (float *)data;

  for (size_t i = 0; i < size / sizeof *x; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = ldexpf(((state >> 8) | 1) / 16777216.0f, -(int)(state % 160));
    if (state % 7 < 3) x[i] = state % 7 == 1 ? 0 : -x[i];
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
  size_t size = sizeof(float[2][N][N]);
  float (*A)[N][N] = (float (*)[N][N])malloc(size);

  fill(A, size);
  quotients2d(N, T, A);
  add_to_hash(A, size);
  printf("%016llx\n", hash);
  free(A);
  return 0;
}
