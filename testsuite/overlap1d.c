/* overlap1d: Arrays that share memory for some arguments: the program's own loops run then, as --fallback asks.
 * hexcc-test: args=N,T,S run=3,2,3;9,0,9;12,5,12;16,7,5;33,8,1;64,9,63;64,20,64;70,17,0 flags=--fallback tile=h=1,w=2;h=3,w=5 stream=steps=4,vector=1
 */
#include <stdio.h>
#include <stdlib.h>

static int last;

static void sweep(int N, int T, double *a, double *b)
{
  int i = 0;

  for (int t = 0; t < T; t++) {
    for (i = 1; i < N - 1; i++)
      b[i] = 0.25 * a[i - 1] + 0.5 * a[i] + 0.25 * a[i + 1];
    for (i = 1; i < N - 1; i++)
      a[i] = b[i];
  }
  last = 3 * last + i;
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
  int N = argc > 1 ? atoi(argv[1]) : 40;
  int T = argc > 2 ? atoi(argv[2]) : 5;
  int S = argc > 3 ? atoi(argv[3]) : 40;
  size_t n = (size_t)N + (S > N ? S : N);
  double *memory = (double *)malloc(n * sizeof(double));

  for (size_t i = 0; i < n; i++)
    memory[i] = (double)(i * 31 % 101) / 7;
  sweep(N, T, memory, memory + S);
  sweep(N, T, memory, memory + S);
  add_to_hash(memory, n * sizeof(double));
  printf("%016llx %d\n", hash, last);
  free(memory);
  return 0;
}
