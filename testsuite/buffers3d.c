/* buffers3d: Three time buffers in three dimensions of which the steps read one: the last launch writes those that
 * nothing reads any more, and their first planes have to have entered.
 * hexcc-test: args=N,T run=3,2;4,5;6,5;9,8;12,4;16,10 tile=h=1,w=1:4:8 stream=steps=3,vector=4,rows=2,warps=4;steps=4,vector=2,rows=2,warps=4
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void buffers3d(int N, int T, float A[3][N][N][N], float B[N][N][N])
{
#pragma scop
  for (int t = 1; t < T; t++) {
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        for (int k = 2; k < N; k++)
          A[(t+2)%3][i][j][k] = 0.9f * B[i][j][k];
    for (int i = 0; i < N - 1; i++)
      for (int j = 0; j < N - 1; j++)
        for (int k = 1; k < N; k++)
          B[i][j][k] = 0.5f * A[(t+1)%3][i][j+1][k] + 0.3f * A[(t+1)%3][i][j][k] + 0.1f * B[i][j][k];
  }
#pragma endscop
}

static void fill(void *data, size_t size)
{
  static unsigned state = 1;
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
  int N = argc > 1 ? atoi(argv[1]) : 24;
  int T = argc > 2 ? atoi(argv[2]) : 10;
  float (*A)[N][N][N] = malloc(sizeof(float[3][N][N][N]));
  float (*B)[N][N] = malloc(sizeof(float[N][N][N]));

  if (!A || !B)
    return 1;
  fill(A, sizeof(float[3][N][N][N]));
  fill(B, sizeof(float[N][N][N]));
  /* Buffers that agree, so that launches take several steps. */
  for (int b = 1; b < 3; b++)
    memcpy(A[b], A[0], sizeof A[0]);
  buffers3d(N, T, A, B);
  add_to_hash(A, sizeof(float[3][N][N][N]));
  add_to_hash(B, sizeof(float[N][N][N]));
  printf("buffers3d %d %d %016llx\n", N, T, hash);
  free(A), free(B);
  return 0;
}
