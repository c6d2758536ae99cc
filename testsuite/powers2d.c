/* powers2d: Squares and other powers that C compilers make products and quotients of, bit for bit.
 * hexcc-test: args=N,T run=1,3;2,1;3,2;4,5;9,0;16,7;33,8;48,9 tile=h=0,w=1:8;h=2,w=3:16 stream=steps=3,vector=2
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SQR(x) pow(x, 2)

static double powers2d(int N, int T, float A[2][N][N], double s)
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        A[(t+1)%2][i][j] = 0.25f * powf(A[t%2][i][j] - A[t%2][i+1][j], 2.0f)
                         + 0.125 * SQR((A[t%2][i-1][j] - A[t%2][i][j+1]) / s)
                         + 0.5 * pow(A[t%2][i][j], 1) + 0.0625 * pow(2 + pow(A[t%2][i][j-1], 2.), -1.0);
#pragma endscop
  return s;
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
  int N = argc > 1 ? atoi(argv[1]) : 32;
  int T = argc > 2 ? atoi(argv[2]) : 10;
  float (*A)[N][N] = (float (*)[N][N])malloc(sizeof(float[2][N][N]));

  fill(A, sizeof(float[2][N][N]));
  powers2d(N, T, A, 1.5);
  add_to_hash(A, sizeof(float[2][N][N]));
  printf("%016llx\n", hash);
  free(A);
  return 0;
}
