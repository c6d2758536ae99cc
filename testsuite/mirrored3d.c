/* mirrored3d: 27 points, copied back, and boundaries that statements of their own write.
 * hexcc-test: args=N,T run=2,2;3,5;4,1;7,3;8,0;12,7;16,5;19,6 tile=h=1,w=1:4:8 stream=steps=1,vector=1,rows=2,warps=4;steps=2,vector=2,rows=2,warps=4
 */
#include <stdio.h>
#include <stdlib.h>

static void mirrored3d(int N, int T, float A[N][N][N], float B[N][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++)
          B[i][j][k] = (A[i-1][j-1][k-1] + A[i-1][j-1][k+1] + A[i-1][j+1][k-1] + A[i-1][j+1][k+1]
                        + A[i+1][j-1][k-1] + A[i+1][j-1][k+1] + A[i+1][j+1][k-1] + A[i+1][j+1][k+1]
                        + A[i][j][k]) / 9.5f;
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++)
          A[i][j][k] = B[i][j][k];
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        A[i][j][0] = B[i][j][1];
    for (int i = 1; i < N - 1; i++)
      for (int k = 1; k < N - 1; k++)
        A[i][0][k] = B[i][1][k] - B[i+1][1][k];
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
  float (*A)[N][N] = (float (*)[N][N])malloc(sizeof(float[N][N][N]));
  float (*B)[N][N] = (float (*)[N][N])malloc(sizeof(float[N][N][N]));

  fill(A, sizeof(float[N][N][N]));
  fill(B, sizeof(float[N][N][N]));
  mirrored3d(N, T, A, B);
  add_to_hash(A, sizeof(float[N][N][N]));
  add_to_hash(B, sizeof(float[N][N][N]));
  printf("%016llx\n", hash);
  free(A);
  free(B);
  return 0;
}
