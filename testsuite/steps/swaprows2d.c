/* swaprows2d: Pointers to rows of a variable length, parameters of a function, swapped after each step counted from 1.
 * hexcc-test: args=N,M,T run=1,3,3;2,4,1;3,3,2;4,9,5;9,5,0;16,20,7;33,40,8;70,60,17 variants=--tiling=hybrid
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

static int swaprows2d(int N, int M, int T, double (*u)[M], double (*v)[M], double (*restrict k)[M])
{
  int t;

  for (t = 1; t <= T; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < M - 1; j++)
        v[i][j] = u[i][j] + k[i][j] * (u[i-1][j] + u[i+1][j] + u[i][j-1] + u[i][j+1] - 4.0 * u[i][j]);
    double (*old)[M] = u;
    u = v;
    v = old;
  }
  add_to_hash(u, sizeof(double[N][M]));
  add_to_hash(v, sizeof(double[N][M]));
  return t;
}

int main(int argc, char **argv)
{
  int N = argc > 1 ? atoi(argv[1]) : 32;
  int M = argc > 2 ? atoi(argv[2]) : 32;
  int T = argc > 3 ? atoi(argv[3]) : 5;
  size_t size = sizeof(double[N][M]);
  double (*u)[M] = malloc(size), (*v)[M] = malloc(size), (*k)[M] = malloc(size);

  fill(u, size);
  fill(v, size);
  fill(k, size);
  int after = swaprows2d(N, M, T, u, v, k);
  add_to_hash(u, size);
  printf("%016llx %d\n", hash, after);
  free(u);
  free(v);
  free(k);
  return 0;
}
