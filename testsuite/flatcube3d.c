/* flatcube3d: A flat cube with two planes for time, rows of an unsigned number of elements, and layers of coefficients.
 * hexcc-test: args=n,T run=1,2;3,5;4,1;7,3;8,0;12,7;16,8;19,9;24,17 tile=h=1,w=1:4:8;h=3,w=2:3:6
 */
#include <stdio.h>
#include <stdlib.h>

static void flatcube3d(unsigned n, int T, double *u, double *c)
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (unsigned k = 1; k + 1 < n; k++)
      for (unsigned i = 1; i + 1 < n; i++)
        for (unsigned j = 1; j + 1 < n; j++)
          u[((t+1)%2)*n*n*n + k*n*n + i*n + j] = c[n*n*k + i*n + j] * u[(t%2)*n*n*n + k*n*n + i*n + j]
            + 0.125 * (u[(((t%2)*n + k-1)*n + i)*n + j] + u[(((t%2)*n + k+1)*n + i)*n + j]
                       + u[(((t%2)*n + k)*n + i-1)*n + j] + u[(((t%2)*n + k)*n + i+1)*n + j]
                       + u[(((t%2)*n + k)*n + i)*n + j-1] + u[(((t%2)*n + k)*n + i)*n + j+1]);
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
  int n = argc > 1 ? atoi(argv[1]) : 24;
  int T = argc > 2 ? atoi(argv[2]) : 10;
  size_t u_size = sizeof(double) * 2 * n * n * n;
  size_t c_size = sizeof(double) * n * n * n;
  double *u = (double *)malloc(u_size);
  double *c = (double *)malloc(c_size);

  fill(u, u_size);
  fill(c, c_size);
  flatcube3d(n, T, u, c);
  add_to_hash(u, u_size);
  add_to_hash(c, c_size);
  printf("%016llx\n", hash);
  free(u);
  free(c);
  return 0;
}
