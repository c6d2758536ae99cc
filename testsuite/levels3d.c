/* levels3d: Three time buffers in three dimensions. Levels before the last one are first read
 * some planes after the newest enters: in the element's own place, and beside it.
 * hexcc-test: args=N,T run=1,3;3,1;4,2;6,5;9,10;16,7;24,4 tile=h=1,w=1:4:8;h=2,w=2:3:6 stream=steps=3,vector=4,rows=2,warps=4;steps=1,vector=4,rows=2,warps=2;steps=2,vector=1,rows=3,warps=4
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void levels3d(int N, int T, float A[3][N][N][N], float B[3][N][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 2; k++)
          A[(t+2)%3][i][j][k] = 0.5f * A[(t+1)%3][i][j-1][k] + 0.1f * A[(t+2)%3][i][j][k];
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 2; k++)
          B[(t+2)%3][i-1][j+1][k] = 0.5f * B[(t+1)%3][i-1][j-1][k+1]
                                    + 0.3f * B[(t+1)%3][i][j][k] + 0.1f * B[t%3][i-1][j+1][k-1];
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
  float (*A)[N][N][N] = (float (*)[N][N][N])malloc(sizeof(float[3][N][N][N]));
  float (*B)[N][N][N] = (float (*)[N][N][N])malloc(sizeof(float[3][N][N][N]));

  fill(A, sizeof(float[3][N][N][N]));
  fill(B, sizeof(float[3][N][N][N]));
  if (N % 2 == 0) /* the buffers agree where nothing is written */
    memcpy(A[1], A[0], sizeof A[0]), memcpy(A[2], A[0], sizeof A[0]),
        memcpy(B[1], B[0], sizeof B[0]), memcpy(B[2], B[0], sizeof B[0]);
  levels3d(N, T, A, B);
  add_to_hash(A, sizeof(float[3][N][N][N]));
  add_to_hash(B, sizeof(float[3][N][N][N]));
  printf("%016llx\n", hash);
  free(A);
  free(B);
  return 0;
}
