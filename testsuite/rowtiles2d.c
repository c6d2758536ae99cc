/* rowtiles2d: Rows that lie anywhere, one of them in another array and in the reverse order: copied to the device for tiles.
 * hexcc-test: args=m,n,T run=1,1,3;2,3,1;3,3,2;4,7,5;9,5,0;16,33,7;33,16,8;48,70,9 tile=h=1,w=2:8;h=3,w=3:16 stream=steps=4,vector=1
 */
#include <stdio.h>
#include <stdlib.h>

static void rowtiles2d(int m, int n, int T, double **u, double *v[])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < m - 1; i++)
      for (int j = 1; j < n - 1; j++)
        v[i][j] = 0.2 * (u[i][j] + u[i-1][j] + u[i+1][j] + u[i][j-1] + u[i][j+1]);
    for (int i = 1; i < m - 1; i++)
      for (int j = 1; j < n - 1; j++)
        u[i][j] = v[i][j];
  }
#pragma endscop
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
  int m = argc > 1 ? atoi(argv[1]) : 48;
  int n = argc > 2 ? atoi(argv[2]) : 70;
  int T = argc > 3 ? atoi(argv[3]) : 9;
  double **u = (double **)malloc(m * sizeof *u), **v = (double **)malloc(m * sizeof *v);
  unsigned state = 1;

  for (int i = m - 1; i >= 0; i--) {
    u[i] = (double *)malloc(n * sizeof **u);
    v[i] = (double *)malloc(n * sizeof **v);
    for (int j = 0; j < n; j++) {
      state = state * 1664525u + 1013904223u;
      u[i][j] = (state >> 8) / 16777216.0;
      v[i][j] = -u[i][j];
    }
  }
  rowtiles2d(m, n, T, u, v);
  for (int i = 0; i < m; i++) {
    add_to_hash(u[i], n * sizeof **u);
    add_to_hash(v[i], n * sizeof **v);
  }
  printf("%016llx\n", hash);
  return 0;
}
