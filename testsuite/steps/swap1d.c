/* swap1d: A rod, and a coefficient that each step computes from its number.
 * hexcc-test: args=N,T run=1,3;2,1;3,2;5,5;9,0;64,7;330,8;700,17 variants=--tiling=hybrid
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

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 32;
  int T = argc > 2 ? atoi(argv[2]) : 5;
  size_t size = sizeof(float) * n;
  float *a = malloc(size), *b = malloc(size), *c;

  fill(a, size);
  fill(b, size);
  for (int t = 3; t < T + 3; t++) {
    for (int i = 1; i < n - 1; i++)
      b[i] = a[i] + 0.25f * (a[i - 1] - 2.0f * a[i] + a[i + 1]) + 0.001f * t;
    c = b;
    b = a;
    a = c;
  }
  add_to_hash(a, size);
  add_to_hash(b, size);
  printf("%016llx\n", hash);
  free(a);
  free(b);
  return 0;
}
