/* indexed2d: Flat arrays with indices in variables: of the loop body, and of the function.
 * hexcc-test: args=m,n,T run=1,1,3;2,3,1;3,3,2;4,7,5;9,5,0;16,33,7;33,16,8;48,70,9;70,40,16 tile=h=1,w=2:8;h=3,w=3:16 stream=steps=4,vector=1
 */
#include <stdio.h>
#include <stdlib.h>

static void indexed2d(int m, int n, int T, double *u, double *v)
{
  int k;

#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < m - 1; i++)
      for (int j = 1; j < n - 1; j++) {
        const int c = i * n + j, up = c - n;
        size_t down = c + n;

        v[c] = 0.2 * (u[c] + u[up] + u[down] + u[c-1] + u[c+1]);
      }
    for (int i = 1; i < m - 1; i++)
      for (int j = 1; j < n - 1; j++) {
        k = i * n + j;
        u[k] = v[k];
      }
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
  indexed2d(m, n, T, u, v);
  add_to_hash(u, u_size);
  add_to_hash(v, v_size);
  printf("%016llx\n", hash);
  free(u);
  free(v);
  return 0;
}
