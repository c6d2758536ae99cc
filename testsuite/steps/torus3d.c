/* torus3d: A torus in three dimensions: neighbours by remainders.
 * hexcc-test: args=N,T run=1,3;2,2;5,4;9,0;12,7;33,6;40,9
 */
#include <stdio.h>
#include <stdlib.h>

static void torus3d(int N, int T, float A[2][N][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        for (int k = 0; k < N; k++)
          A[(t+1)%2][i][j][k] = 0.14f * (A[t%2][i][j][k]
              + A[t%2][(i + N - 1) % N][j][k] + A[t%2][(i + 1) % N][j][k]
              + A[t%2][i][(j + N - 1) % N][k] + A[t%2][i][(j + 1) % N][k]
              + A[t%2][i][j][(k + N - 1) % N] + A[t%2][i][j][(k + 1) % N]);
#pragma endscop
}

static void fill(void *data, size_t size)
{
  static unsigned state = 1;
  float *x = (float *)data;

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
  size_t size = sizeof(float[2][N][N][N]);
  float (*A)[N][N][N] = (float (*)[N][N][N])malloc(size);

  fill(A, size);
  torus3d(N, T, A);
  add_to_hash(A, size);
  printf("%016llx\n", hash);
  return 0;
}
