/* swap3d: A cube behind two pointers that a function swaps.
 * hexcc-test: args=N,T run=1,3;2,1;3,2;5,5;9,0;12,7;20,4 variants=--tiling=hybrid
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

static void swap(float **this, float **that)
{
  float *was = *this;

  *this = *that;
  *that = was;
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 16;
  int T = argc > 2 ? atoi(argv[2]) : 5;
  size_t size = sizeof(float) * n * n * n;
  float *old = malloc(size), *new = malloc(size);

  fill(old, size);
  fill(new, size);
  for (int t = 0; t < T; ++t) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        for (int k = 1; k < n - 1; k++)
          new[(i * n + j) * n + k] = 0.4f * old[(i * n + j) * n + k]
            + 0.1f * (old[((i - 1) * n + j) * n + k] + old[((i + 1) * n + j) * n + k]
                      + old[(i * n + j - 1) * n + k] + old[(i * n + j + 1) * n + k]
                      + old[(i * n + j) * n + k - 1] + old[(i * n + j) * n + k + 1]);
    swap(&old, &new);
  }
  add_to_hash(old, size);
  add_to_hash(new, size);
  printf("%016llx\n", hash);
  free(old);
  free(new);
  return 0;
}
