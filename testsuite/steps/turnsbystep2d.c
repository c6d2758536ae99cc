/* turnsbystep2d: Two planes that take turns by `if` and `else`, by the parity of the step.
 * hexcc-test: args=N,T run=1,2;2,3;3,1;4,3;9,4;40,6;40,7;57,0;70,9
 */
#include <stdio.h>
#include <stdlib.h>

static void fill(void *data, size_t size)
{
  static unsigned state = 1;
  double *x = (double *)data;

  for (size_t i = 0; i < size / sizeof *x; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = ((state >> 8) | 1) / 16777216.0;
  }
}

static unsigned long long hash = 14695981039346656037ull;

static void add_to_hash(const void *data, size_t size)
{
  const unsigned char *byte = (const unsigned char *)data;

  for (size_t i = 0; i < size; i++)
    hash = (hash ^ byte[i]) * 1099511628211ull;
}

static void step(int n, double *restrict v, const double *restrict u)
{
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++) {
      const double middle = 0.5 * u[i * n + j];
      v[i * n + j] = middle + 0.125 * (u[(i - 1) * n + j] + u[(i + 1) * n + j] + u[i * n + j - 1] + u[i * n + j + 1]);
    }
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 20;
  int T = argc > 2 ? atoi(argv[2]) : 5;
  size_t size = n * n * sizeof(double);
  double *a = malloc(size), *b = malloc(size), *c = malloc(size), *d = malloc(size);

  fill(a, size);
  fill(b, size);
  fill(c, size);
  fill(d, size);
  for (int t = 1; t <= T; t++)
    if (t % 2)
      step(n, c, d);
    else
      step(n, d, c);
  add_to_hash(a, size);
  add_to_hash(b, size);
  add_to_hash(c, size);
  add_to_hash(d, size);
  printf("%016llx\n", hash);
  return 0;
}
