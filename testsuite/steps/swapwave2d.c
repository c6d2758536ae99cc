/* swapwave2d: Three time levels behind three pointers, each of which gets what the next one was.
 * hexcc-test: args=N,T run=1,3;2,1;3,2;4,5;9,0;16,7;33,8;70,17;90,3 variants=--tiling=hybrid
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

static void step(int n, const float *before, const float *now, float *next)
{
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++) {
      const int c = i * n + j;

      next[c] = 2.0f * now[c] - before[c]
        + 0.2f * (now[c - n] + now[c + n] + now[c - 1] + now[c + 1] - 4.0f * now[c]);
    }
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 32;
  int T = argc > 2 ? atoi(argv[2]) : 5;
  size_t size = sizeof(float) * n * n;
  float *before = malloc(size), *now = malloc(size), *next = malloc(size);

  fill(before, size);
  fill(now, size);
  fill(next, size);
  for (int t = 0; t < T; t++) {
    float *swap = before;

    step(n, before, now, next);
    before = now;
    now = next;
    next = swap;
  }
  add_to_hash(before, size);
  add_to_hash(now, size);
  add_to_hash(next, size);
  printf("%016llx\n", hash);
  free(before);
  free(now);
  free(next);
  return 0;
}
