/* ring1d: A ring of 64 cells with neighbours by remainders, and a second stage that skips cells.
 * hexcc-test: args=T run=0;1;2;7;30
 */
#include <stdio.h>
#include <stdlib.h>

static void ring1d(int T, float A[64], float B[64])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 0; i < 64; i++)
      B[i] = 0.25f * A[(i+63)%64] + 0.5f * A[i] + 0.25f * A[(i+1)%64];
    for (int i = 0; i < 64; i++)
      A[i] = B[i] - 0.1f * (B[(i+60)%64] - B[(i+5)%64]);
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
  int T = argc > 1 ? atoi(argv[1]) : 5;
  float A[64], B[64];

  fill(A, sizeof A);
  fill(B, sizeof B);
  ring1d(T, A, B);
  add_to_hash(A, sizeof A);
  add_to_hash(B, sizeof B);
  printf("%016llx\n", hash);
  return 0;
}
