/* turns2d: Two planes that take turns by `if` and `else`, by a variable.
 * hexcc-test: args=N,T,TURN run=1,2,0;2,3,1;3,1,0;4,3,1;9,4,7;40,6,0;40,7,1;57,0,7;70,9,7
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
  int turn = argc > 3 ? atoi(argv[3]) : 0;
  size_t size = n * n * sizeof(double);
  double *a = malloc(size), *b = malloc(size), *c = malloc(size), *d = malloc(size);

  fill(a, size);
  fill(b, size);
  fill(c, size);
  fill(d, size);
  for (int t = 0; t < T; t++) {
    if (turn == 1) {
      step(n, a, b);
      turn = 0;
    } else {
      step(n, b, a);
      turn = 1;
    }
  }
  printf("%d\n", turn);
  add_to_hash(a, size);
  add_to_hash(b, size);
  add_to_hash(c, size);
  add_to_hash(d, size);
  printf("%016llx\n", hash);
  return 0;
}
