/* sharedtemps1d: One variable for two nests over a known number of cells; each nest has its own values.
 * hexcc-test: args=T run=1;2;3;7;9 tile=h=1,w=8;h=3,w=32
 */
#include <stdio.h>
#include <stdlib.h>

#define N 64

static void sharedtemps1d(int T, float A[4][N])
{
  float x;

#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 0; i < N; i++) {
      x = A[(t+2)%4][i];
      A[(t+3)%4][i] = 0.45f * x;
    }
    for (int i = 1; i < N - 1; i++) {
      x = A[(t+2)%4][i+1];
      A[(t+3)%4][i] = 0.3f * x + 0.25f * A[(t+1)%4][i-1];
    }
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
  int T = argc > 1 ? atoi(argv[1]) : 10;
  float (*A)[N] = malloc(sizeof(float) * 4 * N);

  if (!A)
    return 1;
  fill(A, sizeof(float) * 4 * N);
  sharedtemps1d(T, A);
  add_to_hash(A, sizeof(float) * 4 * N);
  printf("sharedtemps1d %d %016llx\n", T, hash);
  free(A);
  return 0;
}
