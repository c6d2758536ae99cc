/* mixed3d: products of cells in different planes and rows: no order of sums to exploit;
 * the buffers agree where nothing is written unless L is odd.
 * hexcc-test: args=L,M,N,T run=8,9,10,3;14,21,70,9;21,12,33,6;16,30,41,1;20,25,40,8 tile=h=1,w=2:4:8 stream=steps=2,vector=1,rows=3,warps=4;steps=2,vector=2,rows=3,warps=4
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void mixed3d(int L, int M, int N, int T, float A[2][L][M][N], float a, float b)
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 2; i < L - 2; i++)
      for (int j = 2; j < M - 3; j++)
        for (int k = 3; k < N - 4; k++)
          A[(t+1)%2][i][j][k] = a * (A[t%2][i-1][j-1][k] + A[t%2][i+1][j+1][k-1])
            + b * (A[t%2][i][j][k] - A[t%2][i+1][j-2][k+1] * A[t%2][i-1][j][k+1]);
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
  int L = argc > 1 ? atoi(argv[1]) : 12;
  int M = argc > 2 ? atoi(argv[2]) : 16;
  int N = argc > 3 ? atoi(argv[3]) : 20;
  int T = argc > 4 ? atoi(argv[4]) : 5;
  size_t size = sizeof(float[2][L][M][N]);
  float (*A)[L][M][N] = (float (*)[L][M][N])malloc(size);

  fill(A, size);
  if (L % 2 == 0)
    memcpy(A[1], A[0], size / 2);
  mixed3d(L, M, N, T, A, 0.31, 0.11);
  add_to_hash(A, size);
  printf("%016llx\n", hash);
  free(A);
  return 0;
}
