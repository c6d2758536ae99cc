/* older3d: Three time buffers in three dimensions; neighbours are read in the oldest one alone, so
 * that a launch of one step hands on no rows of the newest.
 * hexcc-test: args=N,T run=1,3;3,1;4,2;6,5;9,10;16,7;24,4 tile=h=1,w=1:4:8;h=2,w=2:3:6 stream=steps=3,vector=4,rows=2,warps=4;steps=1,vector=4,rows=2,warps=2;steps=2,vector=1,rows=3,warps=4
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void older3d(int N, int T, float U[3][N][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++)
          U[(t+2)%3][i][j][k] = 0.45f * U[(t+1)%3][i][j][k]
                                + 0.25f * (U[t%3][i][j+1][k] + U[t%3][i][j-1][k]);
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
  float (*U)[N][N][N] = (float (*)[N][N][N])malloc(sizeof(float[3][N][N][N]));

  fill(U, sizeof(float[3][N][N][N]));
  if (N % 2 == 0) /* the buffers agree where nothing is written */
    memcpy(U[1], U[0], sizeof U[0]), memcpy(U[2], U[0], sizeof U[0]);
  older3d(N, T, U);
  add_to_hash(U, sizeof(float[3][N][N][N]));
  printf("%016llx\n", hash);
  free(U);
  return 0;
}
