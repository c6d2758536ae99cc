/* inlined1d: A function called in the region, with an iterator of its own.
 * hexcc-test: args=N,T run=1,3;2,5;3,2;5,1;16,7;17,0;40,9;64,8;129,16 tile=h=1,w=2;h=3,w=3 stream=steps=4,vector=1
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

static inline void smooth(int n, float *from, float *to)
{
  int i;

  for (i = 1; i < n - 1; i++)
    to[i] = 0.33f * (from[i-1] + from[i] + from[i+1]);
}

static void inlined1d(int N, int T, float *A, float *B)
{
#pragma scop
  for (int t = 0; t < T; t++) {
    smooth(N, A, B);
    smooth(N, B, A);
  }
#pragma endscop
}

int main(int argc, char **argv)
{
  int N = argc > 1 ? atoi(argv[1]) : 256;
  int T = argc > 2 ? atoi(argv[2]) : 20;
  size_t size = sizeof(float[N]);
  float *A = (float *)malloc(size);
  float *B = (float *)malloc(size);

  fill(A, size);
  fill(B, size);
  smooth(N, A, B);
  inlined1d(N, T, A, B);
  add_to_hash(A, size);
  add_to_hash(B, size);
  printf("%016llx\n", hash);
  free(A);
  free(B);
  return 0;
}
