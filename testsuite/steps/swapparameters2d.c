/* swapparameters2d: Parameters that are called arrays, and are swapped after each step: a grid, and a line.
 * hexcc-test: args=N,M,T run=1,1,3;2,5,1;3,3,2;4,6,5;9,7,0;16,20,7;33,8,8;70,66,17;150,130,30 variants=--tiling=hybrid;--kernel=pipelined
 */
#include <stdio.h>
#include <stdlib.h>

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

static void grid(int n, int m, int steps, float u[n][m], float v[n][m])
{
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++)
        v[i][j] = 0.2f * (u[i][j] + u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
    float (*w)[m] = u;
    u = v;
    v = w;
  }
}

static void line(int n, int steps, float u[n], float v[])
{
  float *w;

  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      v[i] = 0.3f * (u[i] + u[i - 1] + u[i + 1]);
    w = u;
    u = v;
    v = w;
  }
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 32;
  int m = argc > 2 ? atoi(argv[2]) : 24;
  int steps = argc > 3 ? atoi(argv[3]) : 5;
  size_t size = sizeof(float) * n * m, length = sizeof(float) * n;
  float (*u)[m] = malloc(size), (*v)[m] = malloc(size);
  float *a = malloc(length), *b = malloc(length);

  fill(u, size);
  fill(v, size);
  fill(a, length);
  fill(b, length);
  grid(n, m, steps, u, v);
  line(n, steps, a, b);
  add_to_hash(u, size);
  add_to_hash(v, size);
  add_to_hash(a, length);
  add_to_hash(b, length);
  printf("%016llx\n", hash);
  free(u);
  free(v);
  free(a);
  free(b);
  return 0;
}
