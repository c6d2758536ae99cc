/* rowlife2d: Life in `char` on a torus with rows by pointers: functions count, decide, fill ghost cells and copy the grid.
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

static char **new_grid(int m, int n)
{
  char **rows = malloc(m * sizeof *rows);

  for (int i = 0; i < m; i++)
    rows[i] = calloc(n, 1);
  return rows;
}

static void borders(char **grid, int m, int n)
{
  int i = 0;

  for (i = 1; i < n + 1; i++) {
    grid[0][i] = grid[m][i];
    grid[m + 1][i] = grid[1][i];
  }
  for (i = 1; i < m + 1; i++) {
    grid[i][0] = grid[i][n];
    grid[i][n + 1] = grid[i][1];
  }
  grid[0][0] = grid[m][n];
  grid[0][n + 1] = grid[m][1];
  grid[m + 1][0] = grid[1][n];
  grid[m + 1][n + 1] = grid[1][1];
}

static void copy(char **to, char **from, int m, int n)
{
  int i = 0, j = 0;

  for (i = 0; i < m; i++)
    for (j = 0; j < n; j++)
      to[i][j] = from[i][j];
}

static int neighbours(char **grid, int i, int j)
{
  int alive = 0;

  if (grid[i - 1][j - 1] == 'X') alive++;
  if (grid[i - 1][j] == 'X') alive++;
  if (grid[i - 1][j + 1] == 'X') alive++;
  if (grid[i][j - 1] == 'X') alive++;
  if (grid[i][j + 1] == 'X') alive++;
  if (grid[i + 1][j - 1] == 'X') alive++;
  if (grid[i + 1][j] == 'X') alive++;
  if (grid[i + 1][j + 1] == 'X') alive++;
  return alive;
}

static char next(char **grid, int i, int j)
{
  int alive = neighbours(grid, i, j);
  char c = '#';

  if (alive < 2) {
    c = '.';
  } else if (grid[i][j] == 'X' && alive == 2) {
    c = 'X';
  } else if (alive == 3) {
    c = 'X';
  } else if (alive > 3) {
    c = '.';
  } else {
    c = grid[i][j];
  }
  return c;
}

int main(int argc, char **argv)
{
  int m = argc > 1 ? atoi(argv[1]) : 40;
  int n = argc > 2 ? atoi(argv[2]) : 50;
  int steps = argc > 3 ? atoi(argv[3]) : 5;
  char **a = new_grid(m + 2, n + 2), **b = new_grid(m + 2, n + 2);
  unsigned state = 1;
  int i, j;

  for (i = 1; i <= m; i++)
    for (j = 1; j <= n; j++) {
      state = state * 1664525u + 1013904223u;
      a[i][j] = state >> 30 ? '.' : 'X';
    }
  borders(a, m, n);
  for (int t = 0; t < steps; t++) {
    for (i = 1; i < m + 1; i++)
      for (j = 1; j < n + 1; j++)
        b[i][j] = next(a, i, j);
    borders(b, m, n);
    copy(a, b, m + 2, n + 2);
  }
  for (i = 0; i < m + 2; i++) {
    add_to_hash(a[i], n + 2);
    add_to_hash(b[i], n + 2);
  }
  printf("%016llx\n", hash);
  return 0;
}
