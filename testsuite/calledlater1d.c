/* calledlater1d: A function that is defined after its use, and not inline.
 * hexcc-test: args=N,T run=1,3;2,5;3,2;5,1;16,7;17,0;40,9;64,8;129,16;300,17 tile=h=0,w=1;h=1,w=2;h=2,w=3;h=3,w=5 stream=steps=4,vector=1
 */
#include <stdio.h>
#include <stdlib.h>

static long long mean(long long a, long long b);

static void calledlater1d(int N, int T, long long A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = mean(A[t%2][i-1], A[t%2][i+1]);
#pragma endscop
}

static long long mean(long long a, long long b)
{
  return (a >> 1) + (b >> 1);
}

static void fill(void *data, size_t size)
{
  static unsigned state = 1;
  long long *x = (long long *)data;

  for (size_t i = 0; i < size / sizeof *x; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = (long long)(state | 1) << 8;
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
  size_t size = sizeof(long long[2][N]);
  long long (*A)[N] = (long long (*)[N])malloc(size);

  fill(A, size);
  calledlater1d(N, T, A);
  add_to_hash(A, size);
  printf("%016llx\n", hash);
  free(A);
  return 0;
}
