/* fileplanes3d: Three planes in variables of the file, rotated by a function; every few steps another function looks at them.
 * hexcc-test: args=N,M,K,T run=3,3,3,2;5,7,9,5;9,9,9,0;16,12,40,7;20,9,33,13 variants=--kernel=tiled;--kernel=streamed-tiled,--cells=1x2x1 warns=HX0107
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

static double *older, *old, *new_;
static int n, m, k;

static double at(const double *u, int i)
{
  return u[i];
}

static void sweep(void)
{
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++)
      for (int l = 1; l < k - 1; l++) {
        int c = (i * m + j) * k + l;

        new_[c] = 2.0 * old[c] - older[c]
          + 0.1 * (old[c - m * k] + old[c + m * k] + old[c - k] + old[c + k] + old[c - 1] + old[c + 1] - 6.0 * old[c]);
      }
}

static void rotate(void)
{
  double *oldest = older;

  older = old;
  old = new_;
  new_ = oldest;
}

static void probe(int t)
{
  printf("%d %a\n", t, at(old, ((n / 2) * m + m / 2) * k + k / 2));
}

int main(int argc, char **argv)
{
  n = argc > 1 ? atoi(argv[1]) : 16;
  m = argc > 2 ? atoi(argv[2]) : 16;
  k = argc > 3 ? atoi(argv[3]) : 16;
  int T = argc > 4 ? atoi(argv[4]) : 5;
  size_t size = sizeof(double) * n * m * k;

  older = calloc(1, size);
  old = calloc(1, size);
  new_ = calloc(1, size);
  for (size_t i = 0; i < size / sizeof *old; i++)
    old[i] = older[i] = (i * 37 % 101) / 101.0;
  for (int t = 0; t < T; t++) {
    sweep();
    rotate();
    if (t % 4 == 3)
      probe(t);
  }
  add_to_hash(older, size);
  add_to_hash(old, size);
  add_to_hash(new_, size);
  printf("%016llx\n", hash);
  free(older);
  free(old);
  free(new_);
  return 0;
}
