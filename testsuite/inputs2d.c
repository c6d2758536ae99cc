/* inputs2d: An input with two time buffers, and a first space dimension of constant size.
 * hexcc-test: args=N,T run=1,3;2,1;9,0;16,7;33,8;64,16;70,17 tile=h=0,w=0:4;h=1,w=1:8;h=2,w=2:5 stream=steps=4,vector=1
 */
#include <stdio.h>
#include <stdlib.h>

static void inputs2d(int N, int T, float A[2][6][N], float B[2][6][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 0; i < 6; i++)
      for (int j = 1; j < N; j++)
        A[(t+1)%2][i][j] = 0.5f * A[t%2][i][j-1] + 0.5f * B[t%2][i][j];
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
  size_t A_size = sizeof(float[2][6][N]);
  float (*A)[6][N] = (float (*)[6][N])malloc(A_size);
  size_t B_size = sizeof(float[2][6][N]);
  float (*B)[6][N] = (float (*)[6][N])malloc(B_size);

  for (size_t n = 0; n < A_size / sizeof(float); n++)
    ((float *)A)[n] = next() / 16777216.0f;
  for (size_t n = 0; n < B_size / sizeof(float); n++)
    ((float *)B)[n] = next() / 16777216.0f;
  inputs2d(N, T, A, B);
  add_to_hash(A, A_size);
  add_to_hash(B, B_size);
  printf("%016llx\n", hash);
  free(A);
  free(B);
  return 0;
}
