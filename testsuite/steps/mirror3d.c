/* mirror3d: Mirrored boundaries in three dimensions by conditional expressions, in place by a copy.
 * hexcc-test: args=N,T run=2,3;3,2;4,1;5,3;8,0;12,2;17,2 warns=HX0204
 */
#include <stdio.h>
#include <stdlib.h>

static void mirror3d(int N, int T, float A[N][N][N], float B[N][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        for (int k = 0; k < N; k++)
          B[i][j][k] = 0.4f * A[i][j][k]
                     + 0.1f * (A[i > 0 ? i - 1 : 1][j][k] + A[i < N - 1 ? i + 1 : N - 2][j][k]
                               + A[i][j > 0 ? j - 1 : 1][k] + A[i][j < N - 1 ? j + 1 : N - 2][k]
                               + A[i][j][k > 0 ? k - 1 : 1] + A[i][j][k < N - 1 ? k + 1 : N - 2]);
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        for (int k = 0; k < N; k++)
          A[i][j][k] = 0.5f * (B[i][j][k] + B[N-1-i][j][k]);
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
  int N = argc > 1 ? atoi(argv[1]) : 10;
  int T = argc > 2 ? atoi(argv[2]) : 5;
  float (*A)[N][N] = (float (*)[N][N])malloc(sizeof(float[N][N][N]));
  float (*B)[N][N] = (float (*)[N][N])malloc(sizeof(float[N][N][N]));

  fill(A, sizeof(float[N][N][N]));
  fill(B, sizeof(float[N][N][N]));
  mirror3d(N, T, A, B);
  add_to_hash(A, sizeof(float[N][N][N]));
  add_to_hash(B, sizeof(float[N][N][N]));
  printf("%016llx\n", hash);
  return 0;
}
