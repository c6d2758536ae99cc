/* structs2d: A wave of two components in one array of structs, two time planes, tiled over time.
 * hexcc-test: args=N,T run=3,2;4,3;9,5;17,0;40,7;65,4 tile=h=1,w=2:3;h=2,w=3:16 warns=HX0209
 */
#include <stdio.h>
#include <stdlib.h>

struct cell {
  float u, v, w[2];
};

static void structs2d(int N, int T, struct cell A[2][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++) {
        A[(t+1)%2][i][j].u = 0.25f * (A[t%2][i-1][j].u + A[t%2][i+1][j].v) + 0.125f * A[t%2][i][j].w[1];
        A[(t+1)%2][i][j].v = 0.25f * (A[t%2][i][j-1].v - A[t%2][i][j+1].u);
        A[(t+1)%2][i][j].w[1] = 0.5f * (A[t%2][i][j].u + A[t%2][i][j].w[0]);
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
  int N = argc > 1 ? atoi(argv[1]) : 256;
  int T = argc > 2 ? atoi(argv[2]) : 20;
  size_t size = sizeof(struct cell[2][N][N]);
  struct cell (*A)[N][N] = (struct cell (*)[N][N])malloc(size);

  fill(A, size);
  structs2d(N, T, A);
  add_to_hash(A, size);
  printf("%016llx\n", hash);
  free(A);
  return 0;
}
