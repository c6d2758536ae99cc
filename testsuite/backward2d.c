/* backward2d: reads of rows before and of columns on one side only: levels have no lag, and no row of
 * elements that are never written is held.
 * hexcc-test: args=N run=1;2;3;5;15;25;40 tile=h=1,w=4:4 stream=steps=4,vector=3,ahead=2,warps=1;steps=2,vector=1;steps=1,vector=2
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void backward2d(int N, float A[3][N][N], float B[2][N][N+1])
{
#pragma scop
  for (int t = 0; t < 13; t++) {
    for (int i = 2; i < N; i++) {
      for (int j = 0; j < N; j++) {
        A[(t+2)%3][i][j] = 0.9f * A[(t+1)%3][i-2][j];
      }
    }
    for (int i = 2; i < N; i++) {
      for (int j = 2; j < N; j++) {
        double x0 = ((0.45f * (0.0009f * (B[t%2][i][j] * B[(t+2)%2][i-2][j]))) + (0.45f * B[t%2][i-1][j]));
        B[(t+1)%2][i][j] = ((0.2 * B[t%2][i][j-2]) + ((0.2 * B[t%2][i][j]) - (0.2 * A[(t+1)%3][i-2][j]))) - (0.2 * fmaxf(B[t%2][i][j], A[(t+3)%3][i][j-1]));
      }
    }
  }
#pragma endscop
}

static void fill(void *data, size_t size)
{
  static unsigned state = 1;
  float *x = (float *)data;

  for (size_t i = 0; i < size / sizeof *x; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = (state >> 8) / 16777216.0f;
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
  size_t A_size = sizeof(float[3][N][N]), B_size = sizeof(float[2][N][N + 1]);
  float (*A)[N][N] = (float (*)[N][N])malloc(A_size);
  float (*B)[N][N + 1] = (float (*)[N][N + 1])malloc(B_size);

  fill(A, A_size);
  fill(B, B_size);
  backward2d(N, A, B);
  add_to_hash(A, A_size);
  add_to_hash(B, B_size);
  printf("%016llx\n", hash);
  free(A);
  free(B);
  return 0;
}
