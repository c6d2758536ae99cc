/* boundary2d: Boundary conditions inside the nest: a fixed first row, an insulated last row (if
 * and else), and columns that reflect (conditional expressions in the subscripts).
 * hexcc-test: args=N,M,T run=1,1,3;2,5,1;3,3,2;5,40,5;40,6,3;17,9,0;16,33,7;48,31,8;64,90,9;37,70,16;70,90,17 tile=h=2,w=2:8;h=5,w=3:16
 */
#include <stdio.h>
#include <stdlib.h>

static void boundary2d(int N, int M, int T, float A[2][N][M])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < M; j++)
        if (i == 0)
          A[(t+1)%2][i][j] = A[t%2][i][j];
        else if (i == N - 1)
          A[(t+1)%2][i][j] = 0.5f * (A[t%2][i][j] + A[t%2][i-1][j]);
        else
          A[(t+1)%2][i][j] = 0.2f * (A[t%2][i][j]
            + A[t%2][i-1][j] + A[t%2][i+1][j]
            + A[t%2][i][j == 0 ? 0 : j - 1]
            + A[t%2][i][j == M - 1 ? M - 1 : j + 1]);
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
  boundary2d(N, M, T, A);
  add_to_hash(A, size);
  printf("%016llx\n", hash);
  free(A);
  return 0;
}
