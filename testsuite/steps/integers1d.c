/* integers1d: Integers of several types: wrap-around of unsigned, shorts that are cut, long long sums.
 * hexcc-test: args=N,T run=1,3;2,2;3,1;4,5;9,0;16,3;300,4 warns=HX0204
 */
#include <stdio.h>
#include <stdlib.h>

static void integers1d(int N, int T, unsigned h[N], short s[N], long long sum[N], int a[N])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 0; i < N; i++) {
      h[i] = h[i] * 2654435761u + i * 40503u + t;
      s[i] = s[i] * 3 + (short)(h[i] >> 16) - i;
    }
    for (int i = 0; i < N; i++) {
      sum[i] = sum[i] * 7 + (long long)s[N-1-i] * h[i] - (h[i] > s[i] + 5u);
      a[i] = (a[i] ^ s[i]) % 1001 + (a[i] >> 3) - i / 3 + (i - N) / 2 + (i - N) % 3;
    }
  }
#pragma endscop
}

static void fill(void *data, size_t size)
{
  static unsigned state = 1;
  unsigned *x = (unsigned *)data;

  for (size_t i = 0; i < size / sizeof *x; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = state;
  }
}

static void fill_short(void *data, size_t size)
{
  static unsigned state = 1;
  short *x = (short *)data;

  for (size_t i = 0; i < size / sizeof *x; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = (short)(state >> 16);
  }
}

static void fill_long_long(void *data, size_t size)
{
  static unsigned state = 1;
  long long *x = (long long *)data;

  for (size_t i = 0; i < size / sizeof *x; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = (long long)state << 7;
  }
}

static void fill_int(void *data, size_t size)
{
  static unsigned state = 1;
  int *x = (int *)data;

  for (size_t i = 0; i < size / sizeof *x; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = (int)(state >> 12);
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
  int N = argc > 1 ? atoi(argv[1]) : 32;
  int T = argc > 2 ? atoi(argv[2]) : 5;
  unsigned *h = (unsigned *)malloc(sizeof(unsigned[N]));

  fill(h, sizeof(unsigned[N]));
  short *s = (short *)malloc(sizeof(short[N]));

  fill_short(s, sizeof(short[N]));
  long long *sum = (long long *)malloc(sizeof(long long[N]));

  fill_long_long(sum, sizeof(long long[N]));
  int *a = (int *)malloc(sizeof(int[N]));

  fill_int(a, sizeof(int[N]));
  integers1d(N, T, h, s, sum, a);
  add_to_hash(h, sizeof(unsigned[N]));
  add_to_hash(s, sizeof(short[N]));
  add_to_hash(sum, sizeof(long long[N]));
  add_to_hash(a, sizeof(int[N]));
  printf("%016llx\n", hash);
  return 0;
}
