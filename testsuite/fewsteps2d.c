/* fewsteps2d: two time steps, and for M <= 2 a nest that never runs: the planes of B are
 * there all the same, since partial tiles copy from them.
 * hexcc-test: args=M run=1;2;3;9;24;40 tile=h=5,w=0:5;h=1,w=1:8 variants=--copy-out=interleaved,--reuse=none
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void fewsteps2d(int M, float A[2][M][M], float B[3][M][M])
{
#pragma scop
  for (int t = 1; t < 3; t++) {
    for (int i = 0; i < M; i++) {
      A[(t+1)%2][i][0] = 0.9f;
    }
    for (int i = 0; i < M; i++) {
      for (int j = 1; j < M-1; j++) {
        A[(t+1)%2][i][j] = B[(t+1)%3][i][j] - A[t%2][i][j];
      }
    }
  }
#pragma endscop
}

static unsigned state = 1;

static unsigned next(void)
{
  state = state * 1664525u + 1013904223u;
  return state >> 8;
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
  int M = argc > 1 ? atoi(argv[1]) : 20;
  size_t A_size = sizeof(float[2][M][M]);
  float (*A)[M][M] = (float (*)[M][M])malloc(A_size);
  size_t B_size = sizeof(float[3][M][M]);
  float (*B)[M][M] = (float (*)[M][M])malloc(B_size);

  for (size_t n = 0; n < A_size / sizeof(float); n++)
    ((float *)A)[n] = next() / 16777216.0f;
  for (size_t n = 0; n < B_size / sizeof(float); n++)
    ((float *)B)[n] = next() / 16777216.0f;
  fewsteps2d(M, A, B);
  add_to_hash(A, A_size);
  add_to_hash(B, B_size);
  printf("%016llx\n", hash);
  free(A);
  free(B);
  return 0;
}
