/* sizes1d: Sizes and iterators of type size_t, one of which counts down.
 * hexcc-test: args=N,T run=2,5;3,2;5,1;16,7;17,0;40,9;64,8;129,16;300,17 tile=h=1,w=2;h=3,w=3;h=9,w=16
 */
#include <stdio.h>
#include <stdlib.h>

static void sizes1d(size_t N, size_t T, float A[N], float B[N])
{
  size_t t, i;

#pragma scop
  for (t = 0; t < T; t++) {
    for (i = 1; i < N - 1; i++)
      B[i] = 0.33f * (A[i-1] + A[i] + A[i+1]);
    for (i = N - 2; i > 0; i--)
      A[i] = B[i];
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
  size_t N = argc > 1 ? atoi(argv[1]) : 256;
  size_t T = argc > 2 ? atoi(argv[2]) : 20;
  size_t size = N * sizeof(float);
  float *A = (float *)malloc(size);
  float *B = (float *)malloc(size);

  fill(A, size);
  fill(B, size);
  sizes1d(N, T, A, B);
  add_to_hash(A, size);
  add_to_hash(B, size);
  printf("%016llx\n", hash);
  free(A);
  free(B);
  return 0;
}
