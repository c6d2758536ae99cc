/* floyd2d: Shortest paths: row k and column k stay out of the update of step k and have their own.
 * hexcc-test: args=N run=1;2;3;8;17;40;50 warns=HX0201
 */
#include <stdio.h>
#include <stdlib.h>

static void floyd2d(int N, float D[N][N])
{
#pragma scop
  for (int k = 0; k < N; k++) {
    for (int i = 0; i < N; i++)
      if (i != k)
        D[i][k] = D[i][k] < D[i][k] + D[k][k] ? D[i][k] : D[i][k] + D[k][k];
    for (int j = 0; j < N; j++)
      if (j != k)
        D[k][j] = D[k][j] < D[k][k] + D[k][j] ? D[k][j] : D[k][k] + D[k][j];
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        if (i != k && j != k)
          D[i][j] = D[i][j] < D[i][k] + D[k][j] ? D[i][j] : D[i][k] + D[k][j];
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
  float (*D)[N] = (float (*)[N])malloc(sizeof(float[N][N]));

  fill(D, sizeof(float[N][N]));
  floyd2d(N, D);
  add_to_hash(D, sizeof(float[N][N]));
  printf("%016llx\n", hash);
  return 0;
}
