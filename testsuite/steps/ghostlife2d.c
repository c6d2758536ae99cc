/* ghostlife2d: Life in `char` on a torus: ghost cells of the new plane, which is then copied as a whole.
 * hexcc-test: args=T run=0;1;2;3;4;9;40
 */
#include <stdio.h>
#include <stdlib.h>

#define ROWS 60
#define COLUMNS 250

static void fill(void *data, size_t size)
{
  static unsigned state = 1;
  unsigned char *x = (unsigned char *)data;

  for (size_t i = 0; i < size / sizeof *x; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = state >> 30 ? '.' : 'X';
  }
}

static unsigned long long hash = 14695981039346656037ull;

static void add_to_hash(const void *data, size_t size)
{
  const unsigned char *byte = (const unsigned char *)data;

  for (size_t i = 0; i < size; i++)
    hash = (hash ^ byte[i]) * 1099511628211ull;
}

static char now[ROWS + 2][COLUMNS + 2], next[ROWS + 2][COLUMNS + 2];

/* The cells beside the torus are those at its other side. */
static void borders(char grid[ROWS + 2][COLUMNS + 2])
{
  for (int j = 1; j <= COLUMNS; j++) {
    grid[0][j] = grid[ROWS][j];
    grid[ROWS + 1][j] = grid[1][j];
  }
  for (int i = 1; i <= ROWS; i++) {
    grid[i][0] = grid[i][COLUMNS];
    grid[i][COLUMNS + 1] = grid[i][1];
  }
  grid[0][0] = grid[ROWS][COLUMNS];
  grid[0][COLUMNS + 1] = grid[ROWS][1];
  grid[ROWS + 1][0] = grid[1][COLUMNS];
  grid[ROWS + 1][COLUMNS + 1] = grid[1][1];
}

static int alive(char cell)
{
  return cell == 'X';
}

int main(int argc, char **argv)
{
  int T = argc > 1 ? atoi(argv[1]) : 5;

  fill(now, sizeof now);
  fill(next, sizeof next);
  borders(now);
  for (int t = 0; t < T; t++) {
    for (int i = 1; i <= ROWS; i++)
      for (int j = 1; j <= COLUMNS; j++) {
        int n = alive(now[i - 1][j - 1]) + alive(now[i - 1][j]) + alive(now[i - 1][j + 1]) + alive(now[i][j - 1])
                + alive(now[i][j + 1]) + alive(now[i + 1][j - 1]) + alive(now[i + 1][j]) + alive(now[i + 1][j + 1]);
        next[i][j] = n == 3 || (n == 2 && alive(now[i][j])) ? 'X' : '.';
      }
    borders(next);
    for (int i = 0; i < ROWS + 2; i++)
      for (int j = 0; j < COLUMNS + 2; j++)
        now[i][j] = next[i][j];
  }
  add_to_hash(now, sizeof now);
  add_to_hash(next, sizeof next);
  printf("%016llx\n", hash);
  return 0;
}
