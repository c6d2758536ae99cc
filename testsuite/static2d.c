/* static2d: Global static arrays, constant sizes and a constant number of steps. The argument
 * seeds the values.
 * hexcc-test: args=seed run=1;2;3;12345 tile=h=1,w=2:8;h=2,w=3:16 stream=steps=4,vector=1
 */
#include <stdio.h>
#include <stdlib.h>

#define N 50
#define M 70
#define T 13

static float A[2][N][M];

static void static2d(void)
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < M - 1; j++)
        A[(t+1)%2][i][j] = 0.2f * (A[t%2][i][j]
                                   + A[t%2][i-1][j] + A[t%2][i+1][j]
                                   + A[t%2][i][j-1] + A[t%2][i][j+1]);
#pragma endscop
}

static void fill(unsigned state, void *data, size_t size)
{
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
  int seed = argc > 1 ? atoi(argv[1]) : 1;

  fill(seed, A, sizeof A);
  static2d();
  add_to_hash(A, sizeof A);
  printf("%016llx\n", hash);
  return 0;
}
