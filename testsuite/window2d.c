/* window2d: A weighted sum over a window, added up in `double` by two constant loops.
 * hexcc-test: args=N,T run=1,3;2,2;5,2;9,0;16,7;33,8;48,9 tile=h=1,w=2:8;h=2,w=4:16 stream=steps=3,vector=1
 */
#include <stdio.h>
#include <stdlib.h>

static void window2d(int N, int T, float A[2][N][N], float w[3][5])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 2; j < N - 2; j++) {
        double sum = 0;
        for (int a = -1; a <= 1; a++)
          for (int b = -2; b <= 2; b++) {
            float term = w[a+1][b+2] * A[t%2][i+a][j+b];
            sum += term;
          }
        A[(t+1)%2][i][j] = 0.12f * sum;
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
  int N = argc > 1 ? atoi(argv[1]) : 100;
  int T = argc > 2 ? atoi(argv[2]) : 10;
  float (*A)[N][N] = malloc(sizeof(float) * 2 * N * N);
  float (*w)[5] = malloc(sizeof(float) * 15);

  if (!A || !w)
    return 1;
  fill(A, sizeof(float) * 2 * N * N);
  fill(w, sizeof(float) * 15);
  window2d(N, T, A, w);
  add_to_hash(A, sizeof(float) * 2 * N * N);
  add_to_hash(w, sizeof(float) * 15);
  printf("window2d %d %d %016llx\n", N, T, hash);
  free(A);
  free(w);
  return 0;
}
