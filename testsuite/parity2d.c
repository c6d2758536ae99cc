/* parity2d: A condition that ties the time step to the place: in every cell, every other step.
 * hexcc-test: args=N,T run=1,3;2,1;3,2;4,5;9,0;16,7;33,8;48,9;64,16;70,17 tile=h=0,w=1:8;h=1,w=2:8;h=2,w=3:16
 */
#include <stdio.h>
#include <stdlib.h>

static void parity2d(int N, int T, float A[2][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 0; j < N; j++)
        if ((i + j + t) % 2 == 0)
          A[(t+1)%2][i][j] = 0.5f * A[t%2][i-1][j] + 0.25f * A[t%2][i+1][j];
#pragma endscop
}

static unsigned state = 1;

static unsigned next(void)
{
  state = state * 1664525u + 1013904223u;
  return state >> 8;
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
  int T = argc > 2 ? atoi(argv[2]) : 20;
  size_t A_size = sizeof(float[2][N][N]);
  float (*A)[N][N] = (float (*)[N][N])malloc(A_size);

  for (size_t n = 0; n < A_size / sizeof(float); n++)
    ((float *)A)[n] = next() / 16777216.0f;
  parity2d(N, T, A);
  add_to_hash(A, A_size);
  printf("%016llx\n", hash);
  free(A);
  return 0;
}
