/* previous1d: The value that an iteration leaves for the next one is an element of the other time plane.
 * hexcc-test: args=N,T run=1,3;2,2;3,2;9,0;16,7;33,8;70,17 tile=h=1,w=8;h=3,w=32
 */
#include <stdio.h>
#include <stdlib.h>

static void previous1d(int N, int T, float A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    float left = A[t%2][0];
    for (int i = 1; i < N - 1; i++) {
      float here = A[t%2][i];
      A[(t+1)%2][i] = 0.25f * left + 0.5f * here + 0.2f * A[t%2][i+1];
      left = here;
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
  int N = argc > 1 ? atoi(argv[1]) : 100;
  int T = argc > 2 ? atoi(argv[2]) : 10;
  float (*A)[N] = malloc(sizeof(float) * 2 * N);

  if (!A)
    return 1;
  fill(A, sizeof(float) * 2 * N);
  previous1d(N, T, A);
  add_to_hash(A, sizeof(float) * 2 * N);
  printf("previous1d %d %d %016llx\n", N, T, hash);
  free(A);
  return 0;
}
