/* varcoef2d: 2D Jacobi with a coefficient per cell, c[i][j], and one per column, c1[j].
 * hexcc-test: args=N,M,T run=1,1,3;2,5,1;3,3,2;5,40,5;40,6,3;17,9,0;16,33,7;48,31,8;64,90,9;37,70,16;70,90,17 bench=8192,8192,512 tile=h=0,w=1:8;h=1,w=2:8;h=2,w=3:16 stream=steps=4,vector=1;steps=3,vector=2
 */
#include <stdio.h>
#include <stdlib.h>

static void varcoef2d(int N, int M, int T, float A[2][N][M], float c[N][M], float c1[M])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < M - 1; j++)
        A[(t+1)%2][i][j] = 0.5f * A[t%2][i][j]
          + 0.1f * c[i][j] * (A[t%2][i-1][j] + A[t%2][i+1][j])
          + 0.1f * c1[j] * (A[t%2][i][j-1] + A[t%2][i][j+1]);
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
  size_t A_size = sizeof(float[2][N][M]);
  size_t c_size = sizeof(float[N][M]);
  size_t c1_size = sizeof(float[M]);
  float (*A)[N][M] = (float (*)[N][M])malloc(A_size);
  float (*c)[M] = (float (*)[M])malloc(c_size);
  float *c1 = (float *)malloc(c1_size);

  fill(A, A_size);
  fill(c, c_size);
  fill(c1, c1_size);
  varcoef2d(N, M, T, A, c, c1);
  add_to_hash(A, A_size);
  add_to_hash(c, c_size);
  add_to_hash(c1, c1_size);
  printf("%016llx\n", hash);
  free(A);
  free(c);
  free(c1);
  return 0;
}
