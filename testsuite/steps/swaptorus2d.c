/* swaptorus2d: A torus behind two pointers that are swapped after each step.
 * hexcc-test: args=N,T run=1,3;2,2;3,1;4,5;9,0;16,7;40,6;57,3
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
  int N = argc > 1 ? atoi(argv[1]) : 32;
  int T = argc > 2 ? atoi(argv[2]) : 5;
  size_t size = sizeof(double[N][N]);
  double (*a)[N] = malloc(size), (*b)[N] = malloc(size), (*c)[N];

  fill(a, size);
  fill(b, size);
  for (int t = 0; t < T; t++) {
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        b[i][j] = 0.2 * (a[i][j] + a[(i + N - 1) % N][j] + a[(i + 1) % N][j]
                         + a[i][(j + N - 1) % N] + a[i][(j + 1) % N]);
    c = a;
    a = b;
    b = c;
  }
  add_to_hash(a, size);
  add_to_hash(b, size);
  printf("%016llx\n", hash);
  free(a);
  free(b);
  return 0;
}
