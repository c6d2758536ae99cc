/* calledloops1d: Two time loops in one scop that call the same functions, whose iterators belong to the file and to one of them.
 * hexcc-test: args=N,T run=1,3;2,1;3,2;4,5;9,0;16,7;33,8;100,9;257,17 tile=h=1,w=4;h=3,w=8;h=5,w=16
 */
#include <stdio.h>
#include <stdlib.h>

int i, t;

static void sweep(int N, float *A, float *B)
{
  for (i = 1; i < N - 1; i++)
    B[i] = 0.5f * (A[i-1] + A[i+1]);
}

static void back(int N, float *A, float *B)
{
  int i;

  for (i = 1; i < N; i++)
    B[i] = 0.75f * A[i-1];
}

static void run(int N, int T, float *A, float *B, float *C)
{
#pragma scop
  for (t = 0; t < T; t++) {
    sweep(N, A, B);
    sweep(N, B, A);
  }
  for (t = 0; t < T - 2; t++) {
    back(N, A, C);
    sweep(N, C, A);
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
  int N = argc > 1 ? atoi(argv[1]) : 64;
  int T = argc > 2 ? atoi(argv[2]) : 20;
  size_t size = N * sizeof(float);
  float *A = (float *)malloc(size);
  float *B = (float *)malloc(size);
  float *C = (float *)malloc(size);

  i = -1;
  fill(A, size);
  fill(B, size);
  fill(C, size);
  run(N, T, A, B, C);
  add_to_hash(A, size);
  add_to_hash(B, size);
  add_to_hash(C, size);
  printf("%d %d %016llx\n", i, t, hash);
  free(A);
  free(B);
  free(C);
  return 0;
}
