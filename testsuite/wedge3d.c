/* wedge3d: 3D Laplacian in a wedge, which is no box; time buffers differ beside it.
 * hexcc-test: args=N,T run=1,2;3,5;4,1;7,3;8,0;12,7;16,8;19,9;22,16;24,17 tile=h=1,w=1:4:8;h=2,w=2:3:6
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void wedge3d(int N, int T, float A[2][N][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1 && k <= i; k++)
          A[(t+1)%2][i][j][k] = 0.4f * A[t%2][i][j][k]
            + 0.1f * (A[t%2][i-1][j][k] + A[t%2][i+1][j][k]
                      + A[t%2][i][j-1][k] + A[t%2][i][j+1][k]
                      + A[t%2][i][j][k-1] + A[t%2][i][j][k+1]);
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
  size_t size = sizeof(float[2][N][N][N]);
  float (*A)[N][N][N] = (float (*)[N][N][N])malloc(size);

  fill(A, size);
  if (N % 2 == 0) /* the buffers agree where nothing is written */
    memcpy(A[1], A[0], size / 2);
  wedge3d(N, T, A);
  add_to_hash(A, size);
  printf("%016llx\n", hash);
  free(A);
  return 0;
}
