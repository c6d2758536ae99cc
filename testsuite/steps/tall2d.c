/* tall2d: Many rows of a few columns: more blocks along one axis than a grid has there, in an order that cannot be tiled.
 * hexcc-test: args=N,T run=1,1;7,3;100,2;524300,1 warns=HX0204
 */
#include <stdio.h>
#include <stdlib.h>

static void tall2d(int N, int T, float X[N][3], float V[N][3])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 0; i < N; i++)
      for (int c = 0; c < 3; c++)
        V[i][c] = 0.5f * V[i][c] - 0.25f * X[N-1-i][c];
    for (int i = 0; i < N; i++)
      for (int c = 0; c < 3; c++)
        X[i][c] = X[i][c] + 0.125f * V[i][c];
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
  float (*X)[3] = (float (*)[3])malloc(sizeof(float[N][3]));
  float (*V)[3] = (float (*)[3])malloc(sizeof(float[N][3]));

  fill(X, sizeof(float[N][3]));
  fill(V, sizeof(float[N][3]));
  tall2d(N, T, X, V);
  add_to_hash(X, sizeof(float[N][3]));
  add_to_hash(V, sizeof(float[N][3]));
  printf("%016llx\n", hash);
  free(X);
  free(V);
  return 0;
}
