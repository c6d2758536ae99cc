/* leftout2d: Cells that go on with the next neighbour where one lies outside: by tables of offsets and by loops over rows and columns around the cell.
 * hexcc-test: args=T run=0;1;3;9
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 70, COLUMNS = 90, N_NEIGHBOURS = 8 };

static const int di[N_NEIGHBOURS] = {-1, -1, -1, 0, 0, 1, 1, 1};
static const int dj[N_NEIGHBOURS] = {-1, 0, 1, -1, 1, -1, 0, 1};
static unsigned char lives[ROWS][COLUMNS], next[ROWS][COLUMNS];
static double u[ROWS][COLUMNS], v[ROWS][COLUMNS];

int main(int argc, char **argv)
{
  int steps = argc > 1 ? atoi(argv[1]) : 9, n = ROWS - steps % 4, m = COLUMNS - steps % 7;
  double sum = 0;

  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++) {
      lives[i][j] = (i * 7 + j * j * 3) % 5 < 2;
      u[i][j] = (i * 7 + j * 3) % 11;
    }
  for (int t = 0; t < steps; t++) {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++) {
        int alive = 0;
        for (int k = 0; k < N_NEIGHBOURS; k++) {
          int y = i + di[k];
          if (y < 0 || y >= n)
            continue;
          int x = j + dj[k];
          if (x < 0 || x >= m)
            continue;
          alive += lives[y][x];
        }
        next[i][j] = alive == 3 || (lives[i][j] && alive == 2);
      }
    memcpy(lives, next, sizeof lives);
  }
  for (int t = 0; t < steps; t++) {
    for (int i = 0; i < ROWS; i++)
      for (int j = 0; j < COLUMNS; j++) {
        double all = 0;
        int count = 0;
        for (int y = i - 1; y <= i + 1; y++) {
          if (y < 0 || y >= ROWS)
            continue;
          for (int x = j - 1; x <= j + 1; x++) {
            if (x < 0 || x >= COLUMNS)
              continue;
            all += u[y][x];
            count++;
          }
        }
        v[i][j] = all / count;
      }
    memcpy(u, v, sizeof u);
  }
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++)
      sum += lives[i][j] * (1 + (i * 5 + j) % 13) + u[i][j] * ((i + j * 3) % 17);
  printf("%.17g\n", sum);
  return 0;
}
