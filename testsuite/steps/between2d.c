/* between2d: Updates behind a sweep that stay where they are: others read the cell before, or write what they read.
 * hexcc-test: args=N,T run=3,3;4,5;9,0;16,7;40,6;57,3
 */
#include <stdio.h>
#include <stdlib.h>

static void between2d(int N, int T, float A[N][N], float B[N][N], float C[N], float c[2])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        B[i][j] = 0.25f * (A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]);
    for (int j = 1; j < N - 1; j++)
      C[j] = C[j] + 0.1f * B[1][j];
    B[1][1] = 0.5f * B[1][1] + 0.1f * C[1];
    B[2][1] = 0.5f * (B[2][1] + B[1][1]);
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        A[i][j] = B[i][j];
    A[1][N - 2] += 0.01f * A[1][1];
    A[2][N - 2] += c[0];
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
  int N = argc > 1 ? atoi(argv[1]) : 32;
  int T = argc > 2 ? atoi(argv[2]) : 5;
  size_t size = sizeof(float[N][N]);
  float (*A)[N] = malloc(size), (*B)[N] = malloc(size), *C = malloc(N * sizeof(float)), c[2];

  fill(A, size);
  fill(B, size);
  fill(C, N * sizeof(float));
  fill(c, sizeof c);
  between2d(N, T, A, B, C, c);
  add_to_hash(A, size);
  add_to_hash(B, size);
  add_to_hash(C, N * sizeof(float));
  printf("%016llx\n", hash);
  free(A);
  free(B);
  free(C);
  return 0;
}
