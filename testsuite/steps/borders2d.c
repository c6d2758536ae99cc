/* borders2d: Values beside the domain by conditions, on a flat array; a scheme that is chosen in the text.
 * hexcc-test: args=N,T run=1,2;2,3;3,1;4,3;9,4;40,6;57,0;70,9
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
  int n = argc > 1 ? atoi(argv[1]) : 20;
  int T = argc > 2 ? atoi(argv[2]) : 5;
  size_t size = n * n * sizeof(double);
  double *c = malloc(size), *d = malloc(size);
  int scheme = 1;

  fill(c, size);
  fill(d, size);
  for (int t = 0; t < T; t++) {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        double up, down, right;
        const double left = j == 0 ? 25 : c[i * n + j - 1];
        up = (i == 0) ? 25 : c[(i - 1) * n + j];
        down = (i == n - 1) ? 25 : c[(i + 1) * n + j];
        right = (j == n - 1) ? 25 : j == 3 ? 0.5 : c[i * n + j + 1];
        if (scheme == 0)
          d[i * n + j] = up - down;
        else if (scheme == 1)
          d[i * n + j] = left + right + up + down - 4 * c[i * n + j];
        else
          printf("no such scheme\n");
      }
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        c[i * n + j] += d[i * n + j] * 0.1;
  }
  add_to_hash(c, size);
  add_to_hash(d, size);
  printf("%d %016llx\n", scheme, hash);
  return 0;
}
