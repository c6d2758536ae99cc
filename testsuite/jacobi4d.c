/* jacobi4d: 4D Jacobi, 9 points, two time buffers.
 * hexcc-test: args=N,T run=1,3;2,1;3,2;4,5;5,3;6,0;7,7;8,8;9,9;9,16 tile=h=1,w=1:2:3:4;h=2,w=2:3:3:5
 */
#include <stdio.h>
#include <stdlib.h>

static void jacobi4d(int N, int T, float A[2][N][N][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++)
          for (int l = 1; l < N - 1; l++)
            A[(t+1)%2][i][j][k][l] = 0.2f * A[t%2][i][j][k][l]
              + 0.1f * (A[t%2][i-1][j][k][l] + A[t%2][i+1][j][k][l]
                        + A[t%2][i][j-1][k][l] + A[t%2][i][j+1][k][l]
                        + A[t%2][i][j][k-1][l] + A[t%2][i][j][k+1][l]
                        + A[t%2][i][j][k][l-1] + A[t%2][i][j][k][l+1]);
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
  int N = argc > 1 ? atoi(argv[1]) : 9;
  int T = argc > 2 ? atoi(argv[2]) : 5;
  size_t size = sizeof(float[2][N][N][N][N]);
  float (*A)[N][N][N][N] = (float (*)[N][N][N][N])malloc(size);

  fill(A, size);
  jacobi4d(N, T, A);
  add_to_hash(A, size);
  printf("%016llx\n", hash);
  free(A);
  return 0;
}
