/* coupled1d: Two coupled fields with all time steps stored. Field v looks back two cells and u
 * ahead one cell, so delta0 = 2 and delta1 = 1.
 * hexcc-test: args=N,T run=1,3;2,5;3,2;5,1;16,7;17,0;40,9;64,8;129,16;300,17 tile=h=1,w=2;h=3,w=3
 */
#include <stdio.h>
#include <stdlib.h>

static void coupled1d(int N, int T, float u[T+1][N], float v[T+1][N])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 2; i < N; i++)
      u[t+1][i] = 0.6f * u[t][i] + 0.3f * v[t][i-2];
    for (int i = 0; i < N - 1; i++)
      v[t+1][i] = 0.7f * v[t][i] - 0.2f * u[t+1][i+1];
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
  size_t size = sizeof(float[T + 1][N]);
  float (*u)[N] = (float (*)[N])malloc(size);
  float (*v)[N] = (float (*)[N])malloc(size);

  fill(u, size);
  fill(v, size);
  coupled1d(N, T, u, v);
  add_to_hash(u, size);
  add_to_hash(v, size);
  printf("%016llx\n", hash);
  free(u);
  free(v);
  return 0;
}
