/* ghostend1d: A ring whose ghost cells are copied at the end of each step, not before the first one.
 * hexcc-test: args=N,T run=1,0;1,1;1,5;2,3;3,2;5,3;9,4;16,7;40,6;157,3;300,40
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

int main(int argc, char **argv)
{
  int N = argc > 1 ? atoi(argv[1]) : 100;
  int T = argc > 2 ? atoi(argv[2]) : 5;
  size_t size = (N + 2) * sizeof(double);
  double *u = malloc(size), *v = malloc(size);

  fill(u, size);
  fill(v, size);
  for (int t = 0; t < T; t++) {
    for (int i = 1; i <= N; i++)
      v[i] = u[i] - 0.4 * (u[i] - u[i - 1]) + 0.1 * (u[i + 1] - u[i]);
    for (int i = 1; i <= N; i++)
      u[i] = v[i];
    u[0] = u[N];
    u[N + 1] = u[1];
  }
  add_to_hash(u, size);
  add_to_hash(v, size);
  printf("%016llx\n", hash);
  return 0;
}
