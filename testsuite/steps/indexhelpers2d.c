/* indexhelpers2d: Flat arrays with indices by functions: rows and columns that are clamped and wrapped around.
 * hexcc-test: args=m,n,T run=1,1,3;2,3,1;3,3,2;4,7,5;9,5,0;16,33,7;33,16,8 warns=HX0204
 */
#include <stdio.h>
#include <stdlib.h>

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

static int clamp(int i, int n)
{
  if (i < 0)
    return 0;
  if (i >= n)
    return n - 1;
  return i;
}

static inline int next(int i, int n) { return i + 1 < n ? i + 1 : 0; }

static int previous(int i, int n)
{
  int before = i - 1;

  if (before < 0) {
    return n - 1;
  } else {
    return before;
  }
}

static size_t at(unsigned int i, unsigned int j, unsigned int n)
{
  return i * n + j;
}

static void indexhelpers2d(int m, int n, int T, double *u, double *v)
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++)
        v[at(i, j, n)] = 0.2 * (u[at(i, j, n)] + u[clamp(i - 1, m) * n + j] + u[clamp(i + 1, m) * n + j]
                                + u[i * n + next(j, n)] + u[i * n + previous(j, n)]);
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++) {
        int l = MAX(j - 1, 0), r = MIN(j + 1, n - 1);

        u[i*n+j] = 0.5 * v[i*n+j] + 0.25 * (v[i*n+l] + v[i*n+r]);
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
  indexhelpers2d(m, n, T, u, v);
  add_to_hash(u, u_size);
  add_to_hash(v, v_size);
  printf("%016llx\n", hash);
  free(u);
  free(v);
  return 0;
}
