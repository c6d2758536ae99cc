/* contrived1d: The paper's contrived example (CGO'14, section 3.3.2): the full time dimension is
 * stored, and the distances are (2, 2) and (1, -2), so delta0 = 1 and delta1 = 2.
 * hexcc-test: args=N,T run=1,3;2,5;3,2;5,1;16,7;17,0;40,9;64,8;129,16;300,17 tile=h=0,w=1;h=1,w=2;h=2,w=3;h=3,w=5 variants=--copy-out=separate;--copy-out=interleaved
 */
#include <stdio.h>
#include <stdlib.h>

static void contrived1d(int N, int T, float A[T+2][N])
{
#pragma scop
  for (int t = 2; t < T + 2; t++)
    for (int i = 2; i < N - 2; i++)
      A[t][i] = 0.75f * A[t-2][i-2] - 0.5f * A[t-1][i+2];
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
  size_t size = sizeof(float[T + 2][N]);
  float (*A)[N] = (float (*)[N])malloc(size);

  fill(A, size);
  contrived1d(N, T, A);
  add_to_hash(A, size);
  printf("%016llx\n", hash);
  free(A);
  return 0;
}
