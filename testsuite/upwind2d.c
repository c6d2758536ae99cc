/* upwind2d: 2D advection, one-sided in both dimensions, towards higher i and lower j.
 * hexcc-test: args=N,M,T run=1,1,3;2,5,1;3,3,2;5,40,5;40,6,3;17,9,0;16,33,7;48,31,8;64,90,9;37,70,16;70,90,17 tile=h=0,w=1:8;h=1,w=2:8;h=2,w=3:16 stream=steps=4,vector=1
 */
#include <stdio.h>
#include <stdlib.h>

static void upwind2d(int N, int M, int T, float A[2][N][M])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N; i++)
      for (int j = 0; j < M - 1; j++)
        A[(t+1)%2][i][j] = A[t%2][i][j]
                         - 0.3f * (A[t%2][i][j] - A[t%2][i-1][j])
                         - 0.2f * (A[t%2][i][j] - A[t%2][i][j+1]);
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
  int N = argc > 1 ? atoi(argv[1]) : 64;
  int M = argc > 2 ? atoi(argv[2]) : 80;
  int T = argc > 3 ? atoi(argv[3]) : 20;
  size_t size = sizeof(float[2][N][M]);
  float (*A)[N][M] = (float (*)[N][M])malloc(size);

  fill(A, size);
  upwind2d(N, M, T, A);
  add_to_hash(A, size);
  printf("%016llx\n", hash);
  free(A);
  return 0;
}
