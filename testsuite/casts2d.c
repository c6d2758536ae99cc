/* casts2d: Float, double and int cells in one stencil: explicit casts, double and float literals,
 * and sqrt of a float, which is a double call in C.
 * hexcc-test: args=N,T run=1,3;2,1;3,2;4,5;9,0;16,7;33,8;48,9;64,16;70,17 tile=h=1,w=2:8;h=3,w=3:16 stream=steps=4,vector=1
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void casts2d(int N, int T, float A[2][N][N], double c[N][N], int q[N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        A[(t+1)%2][i][j] = 0.1 * A[t%2][i-1][j] + 0.1f * A[t%2][i+1][j]
          + (float)c[i][j] * A[t%2][i][j-1] / 3 + c[i][j] * (int)(10 * A[t%2][i][j+1]) / 40
          + q[i][j] / 2 * 0.125f + 0.1 * sqrt(A[t%2][i][j] + 0.5f);
#pragma endscop
}

static unsigned state = 1;

static double next_value(void)
{
  state = state * 1664525u + 1013904223u;
  return ((state >> 8) | 1) / 16777216.0;
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
  int T = argc > 2 ? atoi(argv[2]) : 20;
  float (*A)[N][N] = (float (*)[N][N])malloc(sizeof(float[2][N][N]));
  double (*c)[N] = (double (*)[N])malloc(sizeof(double[N][N]));
  int (*q)[N] = (int (*)[N])malloc(sizeof(int[N][N]));

  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      A[0][i][j] = next_value();
      A[1][i][j] = next_value();
      c[i][j] = next_value();
      q[i][j] = 1 + (int)(4 * next_value());
    }
  casts2d(N, T, A, c, q);
  add_to_hash(A, sizeof(float[2][N][N]));
  add_to_hash(c, sizeof(double[N][N]));
  add_to_hash(q, sizeof(int[N][N]));
  printf("%016llx\n", hash);
  free(A);
  free(c);
  free(q);
  return 0;
}
