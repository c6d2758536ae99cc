/* iterators2d: Iterators declared outside the loops whose values the program uses afterwards.
 * hexcc-test: args=N,T run=1,3;2,1;0,4;4,5;9,0;16,7;33,8;48,9;70,12 tile=h=0,w=1:8;h=1,w=2:8 stream=steps=4,vector=1
 */
#include <stdio.h>
#include <stdlib.h>

int rounds;

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

static void iterators2d(int N, int T, float A[2][N][N])
{
  int iter, i = -1;
  long j = -2;

#pragma scop
  for (iter = 0; iter < T; iter++)
    for (i = N - 2; i >= 1; i--)
      for (j = 1; j < N - 1; j++)
        A[(iter+1)%2][i][j] = 0.2f * (A[iter%2][i][j]
                                      + A[iter%2][i+1][j] + A[iter%2][i-1][j]
                                      + A[iter%2][i][j+1] + A[iter%2][i][j-1]);
#pragma endscop
  rounds = iter;
  add_to_hash(A[iter % 2], sizeof(float[N][N]));
  printf("%d %d %ld\n", iter, i, j);
}

int main(int argc, char **argv)
{
  int N = argc > 1 ? atoi(argv[1]) : 64;
  int T = argc > 2 ? atoi(argv[2]) : 20;
  size_t size = sizeof(float[2][N][N]);
  float (*A)[N][N] = (float (*)[N][N])malloc(size);

  fill(A, size);
  iterators2d(N, T, A);
  printf("%d %016llx\n", rounds, hash);
  free(A);
  return 0;
}
