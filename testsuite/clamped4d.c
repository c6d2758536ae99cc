/* clamped4d: A boundary that repeats the first cells. A tile at the boundary must not copy in what
 * lies before them, outside the array.
 * hexcc-test: args=N,T run=1,3;2,1;3,2;4,5;9,0;6,7;9,8 tile=h=1,w=4:4:2:1;h=1,w=1:3:3:4
 */
#include <stdio.h>
#include <stdlib.h>

static void clamped4d(int N, int T, float A[2][N][N][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        for (int k = 0; k < N; k++)
          for (int l = 0; l < N; l++)
            A[(t+1)%2][i][j][k][l] = 0.5f * A[t%2][i < 1 ? 0 : i-1][j][k][l]
                                     + 0.4f * A[t%2][i][j][k][l];
#pragma endscop
}

static unsigned state = 1;

static unsigned next(void)
{
  state = state * 1664525u + 1013904223u;
  return state >> 8;
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
  int T = argc > 2 ? atoi(argv[2]) : 9;
  size_t A_size = sizeof(float[2][N][N][N][N]);
  float (*A)[N][N][N][N] = (float (*)[N][N][N][N])malloc(A_size);

  for (size_t n = 0; n < A_size / sizeof(float); n++)
    ((float *)A)[n] = next() / 16777216.0f;
  clamped4d(N, T, A);
  add_to_hash(A, A_size);
  printf("%016llx\n", hash);
  free(A);
  return 0;
}
