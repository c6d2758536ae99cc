/* rowtorus2d: A torus with rows by pointers that are swapped; neighbours from tables that are not `const`.
 * hexcc-test: args=M,N,T run=1,1,4;1,5,1;2,3,3;3,2,2;4,6,0;5,5,1;7,9,5;33,40,6;50,131,20
 */
#include <stdio.h>
#include <stdlib.h>

static unsigned long long hash = 14695981039346656037ull;

static void add_to_hash(const void *data, size_t size)
{
  const unsigned char *byte = (const unsigned char *)data;

  for (size_t i = 0; i < size; i++)
    hash = (hash ^ byte[i]) * 1099511628211ull;
}

static double **grid(int m, int n)
{
  double **rows = malloc(m * sizeof *rows);
  unsigned state = 1;

  for (int i = 0; i < m; i++) {
    rows[i] = malloc(n * sizeof(double));
    for (int j = 0; j < n; j++) {
      state = state * 1664525u + 1013904223u;
      rows[i][j] = (state >> 8) / 16777216.0;
    }
  }
  return rows;
}

int main(int argc, char **argv)
{
  int m = argc > 1 ? atoi(argv[1]) : 40;
  int n = argc > 2 ? atoi(argv[2]) : 50;
  int steps = argc > 3 ? atoi(argv[3]) : 5;
  int di[4] = {-1, 0, 0, 1}, dj[4] = {0, -1, 1, 0};
  double **u = grid(m, n), **v = grid(m, n), **w;

  for (int t = 0; t < steps; t++) {
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++) {
        double sum = 0.5 * u[i][j];
        for (int k = 0; k < 4; k++)
          sum += 0.125 * u[(i + di[k] + m) % m][(j + dj[k] + n) % n];
        v[i][j] = sum;
      }
    w = u;
    u = v;
    v = w;
  }
  for (int i = 0; i < m; i++) {
    add_to_hash(u[i], n * sizeof(double));
    add_to_hash(v[i], n * sizeof(double));
  }
  printf("%016llx\n", hash);
  return 0;
}
