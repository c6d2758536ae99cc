/* partly1d: A nest that needs larger sizes than the others, with a field of its own.
 * hexcc-test: args=N,T run=1,3;2,1;3,2;4,5;9,0;16,7;33,8;64,16;129,17 tile=h=1,w=2;h=3,w=3 stream=steps=4,vector=1
 */
#include <stdio.h>
#include <stdlib.h>

static void partly1d(int N, int T, float A[2][N], float B[3][N])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 0; i < N; i++)
      A[(t+1)%2][i] = 0.5f * A[t%2][i];
    for (int i = 2; i < N; i++)
      B[t%3][i-2] = 0.25f * A[t%2][i] + 0.25f * A[(t+1)%2][i-1] + 0.5f * B[(t+1)%3][i-1];
  }
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
  size_t A_size = sizeof(float[2][N]);
  float (*A)[N] = (float (*)[N])malloc(A_size);
  size_t B_size = sizeof(float[3][N]);
  float (*B)[N] = (float (*)[N])malloc(B_size);

  for (size_t n = 0; n < A_size / sizeof(float); n++)
    ((float *)A)[n] = next() / 16777216.0f;
  for (size_t n = 0; n < B_size / sizeof(float); n++)
    ((float *)B)[n] = next() / 16777216.0f;
  partly1d(N, T, A, B);
  add_to_hash(A, A_size);
  add_to_hash(B, B_size);
  printf("%016llx\n", hash);
  free(A);
  free(B);
  return 0;
}
