/* mirrored2d: An input that is read from its end, within a constant size.
 * hexcc-test: args=N,T run=1,3;2,1;9,0;16,7;33,8;64,16;70,17 tile=h=0,w=1:8;h=1,w=3:8;h=2,w=2:5 stream=steps=4,vector=1
 */
#include <stdio.h>
#include <stdlib.h>

static void mirrored2d(int N, int T, float A[2][N][16], float B[N][16])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N; i++)
      for (int j = 0; j < 16; j++)
        A[(t+1)%2][i][j] = 0.5f * A[t%2][i-1][j] + 0.5f * B[i][15-j];
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
  size_t A_size = sizeof(float[2][N][16]);
  float (*A)[N][16] = (float (*)[N][16])malloc(A_size);
  size_t B_size = sizeof(float[N][16]);
  float (*B)[16] = (float (*)[16])malloc(B_size);

  for (size_t n = 0; n < A_size / sizeof(float); n++)
    ((float *)A)[n] = next() / 16777216.0f;
  for (size_t n = 0; n < B_size / sizeof(float); n++)
    ((float *)B)[n] = next() / 16777216.0f;
  mirrored2d(N, T, A, B);
  add_to_hash(A, A_size);
  add_to_hash(B, B_size);
  printf("%016llx\n", hash);
  free(A);
  free(B);
  return 0;
}
