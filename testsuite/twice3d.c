/* twice3d: two arrays in turn, each computed from the other, as in PolyBench heat-3d.
 * hexcc-test: args=N,T run=1,2;3,5;4,1;7,3;8,0;12,7;16,5;19,6;22,9 bench=384,64 tile=h=1,w=1:4:8 stream=steps=1,vector=1,rows=1,warps=6;steps=2,vector=2,rows=2,warps=6
 */
#include <stdio.h>
#include <stdlib.h>

static void twice3d(int N, int T, double A[N][N][N], double B[N][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++)
          B[i][j][k] = 0.125 * (A[i+1][j][k] - 2.0 * A[i][j][k] + A[i-1][j][k])
            + 0.125 * (A[i][j+1][k] - 2.0 * A[i][j][k] + A[i][j-1][k])
            + 0.125 * (A[i][j][k+1] - 2.0 * A[i][j][k] + A[i][j][k-1]) + A[i][j][k];
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++)
          A[i][j][k] = 0.125 * (B[i+1][j][k] - 2.0 * B[i][j][k] + B[i-1][j][k])
            + 0.125 * (B[i][j+1][k] - 2.0 * B[i][j][k] + B[i][j-1][k])
            + 0.125 * (B[i][j][k+1] - 2.0 * B[i][j][k] + B[i][j][k-1]) + B[i][j][k];
  }
#pragma endscop
}

static void fill(void *data, size_t size)
{
  static unsigned state = 1;
  double *x = (double *)data;

  for (size_t i = 0; i < size / sizeof *x; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = ((state >> 8) | 1) / 16777216.0;
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
  double (*A)[N][N] = (double (*)[N][N])malloc(sizeof(double[N][N][N]));
  double (*B)[N][N] = (double (*)[N][N])malloc(sizeof(double[N][N][N]));

  fill(A, sizeof(double[N][N][N]));
  fill(B, sizeof(double[N][N][N]));
  twice3d(N, T, A, B);
  add_to_hash(A, sizeof(double[N][N][N]));
  add_to_hash(B, sizeof(double[N][N][N]));
  printf("%016llx\n", hash);
  free(A);
  free(B);
  return 0;
}
