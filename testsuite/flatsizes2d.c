/* flatsizes2d: Flat arrays with sizes and iterators of type size_t, long and unsigned, and casts in subscripts.
 * hexcc-test: args=m,n,T run=1,1,3;2,3,1;3,3,2;4,7,5;9,5,0;16,33,7;33,16,8;48,70,9;70,40,16 tile=h=1,w=2:8;h=3,w=3:16
 */
#include <stdio.h>
#include <stdlib.h>

static void flatsizes2d(size_t m, long n, int T, double *restrict u, double v[])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (size_t i = 1; i + 1 < m; i++)
      for (int j = 1; j < n - 1; j++)
        v[i*n+j] = 0.25 * (u[(i-1)*n+j] + u[(i+1)*n+j] + u[i*(size_t)n+j-1] + u[(long)i*n+j+1]);
    for (size_t i = 1; i + 1 < m; i++)
      for (long j = 1; j < n - 1; j++)
        u[i*n+j] = v[i*n+j];
  }
#pragma endscop
}

static void fill(void *data, size_t size)
{
  static unsigned state = 1;
  double *x = (double *)data;

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
  int m = argc > 1 ? atoi(argv[1]) : 64;
  int n = argc > 2 ? atoi(argv[2]) : 96;
  int T = argc > 3 ? atoi(argv[3]) : 20;
  size_t u_size = sizeof(double) * m * n;
  size_t v_size = sizeof(double) * m * n;
  double *u = (double *)malloc(u_size);
  double *v = (double *)malloc(v_size);

  fill(u, u_size);
  fill(v, v_size);
  flatsizes2d(m, n, T, u, v);
  add_to_hash(u, u_size);
  add_to_hash(v, v_size);
  printf("%016llx\n", hash);
  free(u);
  free(v);
  return 0;
}
