/* overwrites2d: three statements write parts of one array over each other; isl cannot write what they
 * overwrite in fewer pieces (`cannot relax redundant constraint`).
 * hexcc-test: args=N,M,T run=3,3,2;9,9,5;24,24,11;40,40,20 tile=h=2,w=1:8 variants=--reuse=none
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void overwrites2d(int N, int M, int T, float A[N+1][M])
{
#pragma scop
  for (int t = 2; t < T; t += 2) {
    for (int i = 1; i < N; i++) {
      for (int j = 1; j < M-1; j++) {
        A[i][j] = 0.2;
      }
    }
    for (int i = 0; i < N-1; i++) {
      for (int j = 2; j < M; j++) {
        A[i][j] = 0.3f;
      }
    }
    for (int i = 0; i < N; i++) {
      for (int j = 0; j < M; j++) {
        A[i][j] = A[i][j];
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
  int N = argc > 1 ? atoi(argv[1]) : 20;
  int M = argc > 2 ? atoi(argv[2]) : 20;
  int T = argc > 3 ? atoi(argv[3]) : 20;
  size_t A_size = sizeof(float[N+1][M]);
  float (*A)[M] = (float (*)[M])malloc(A_size);

  for (size_t n = 0; n < A_size / sizeof(float); n++)
    ((float *)A)[n] = next() / 16777216.0f;
  overwrites2d(N, M, T, A);
  add_to_hash(A, A_size);
  printf("%016llx\n", hash);
  free(A);
  return 0;
}
