/* ahead3d: Arrays that are only read, planes before and behind the cell, by a statement that reads its own
 * array in the same cell alone: the first plane of a tile needs all of them.
 * hexcc-test: args=N,T run=3,2;4,5;6,3;9,8;16,5 tile=h=1,w=1:4:8 stream=steps=3,vector=4,rows=2,warps=4;steps=1,vector=4,rows=2,warps=2;steps=2,vector=2,rows=3,warps=4
 */
#include <stdio.h>
#include <stdlib.h>

static void ahead3d(int N, int T, float A[N][N][N], float C[N][N][N], float D[N][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++)
          A[i][j][k] = 0.5f * A[i][j][k] + 0.2f * C[i-1][j][k] + 0.1f * C[i+1][j][k] + 0.1f * D[i+1][j][k];
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
  float (*A)[N][N] = malloc(sizeof(float[N][N][N]));
  float (*C)[N][N] = malloc(sizeof(float[N][N][N]));
  float (*D)[N][N] = malloc(sizeof(float[N][N][N]));

  if (!A || !C || !D)
    return 1;
  fill(A, sizeof(float[N][N][N]));
  fill(C, sizeof(float[N][N][N]));
  fill(D, sizeof(float[N][N][N]));
  ahead3d(N, T, A, C, D);
  add_to_hash(A, sizeof(float[N][N][N]));
  printf("ahead3d %d %d %016llx\n", N, T, hash);
  free(A), free(C), free(D);
  return 0;
}
