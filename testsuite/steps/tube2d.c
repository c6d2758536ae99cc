/* tube2d: Goes around along one dimension by remainders, two cells away; the other one ends at walls. Two statements.
 * hexcc-test: args=N,M,T run=1,5,3;2,6,2;3,7,1;4,9,5;9,12,0;16,20,7;40,33,26;130,70,11
 */
#include <stdio.h>
#include <stdlib.h>

static void tube2d(int N, int M, int T, float U[2][M][N], float V[2][M][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < M - 1; i++)
      for (int j = 0; j < N; j++) {
        U[(t+1)%2][i][j] = 0.3f * U[t%2][i][j] + 0.1f * (U[t%2][i][(j + 2) % N] + U[t%2][i][(j + 2 * N - 2) % N])
          + 0.2f * (U[t%2][i-1][j] + V[t%2][i+1][(j + 1) % N]);
        V[(t+1)%2][i][j] = 0.5f * V[t%2][i][j] - 0.25f * (U[t%2][i][(j + N - 1) % N] - U[t%2][i+1][j]);
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
  int M = argc > 2 ? atoi(argv[2]) : 32;
  int T = argc > 3 ? atoi(argv[3]) : 5;
  size_t size = sizeof(float[2][M][N]);
  float (*U)[M][N] = (float (*)[M][N])malloc(size), (*V)[M][N] = (float (*)[M][N])malloc(size);

  fill(U, size);
  fill(V, size);
  tube2d(N, M, T, U, V);
  add_to_hash(U, size);
  add_to_hash(V, size);
  printf("%016llx\n", hash);
  free(U);
  free(V);
  return 0;
}
