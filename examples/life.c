/* Conway's game of life on a torus; where cells have died, the picture glows for a while.
 * usage: life [ROWS [COLUMNS [STEPS]]] [PICTURE.png] */
#include "picture.h"

/* Cells that live have neighbours around; those of the last row are in the first one, too. */
static int neighbours(int n, int m, int cell[n][m], int i, int j)
{
  int count = 0;

  for (int di = -1; di <= 1; di++)
    for (int dj = -1; dj <= 1; dj++)
      if (di != 0 || dj != 0)
        count += cell[(i + di + n) % n][(j + dj + m) % m];
  return count;
}

static void generation(int n, int m, int cell[n][m], int next[n][m], float glow[n][m])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      int count = neighbours(n, m, cell, i, j);

      next[i][j] = count == 3 || (count == 2 && cell[i][j]);
      glow[i][j] = next[i][j] ? 1.0f : 0.97f * glow[i][j];
    }
}

int main(int argc, char **argv)
{
  const char *picture = argc > 1 && strstr(argv[argc - 1], ".png") ? argv[--argc] : NULL;
  int n = argc > 1 ? atoi(argv[1]) : 64;
  int m = argc > 2 ? atoi(argv[2]) : 96;
  int steps = argc > 3 ? atoi(argv[3]) : 100;
  int (*cell)[m] = malloc(sizeof(int[n][m])), (*next)[m] = malloc(sizeof(int[n][m]));
  float (*glow)[m] = malloc(sizeof(float[n][m]));
  unsigned random = 1;
  int alive = 0;

  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      random = random * 1664525u + 1013904223u;
      cell[i][j] = random >> 29 == 0;
      glow[i][j] = 0.0f;
    }
  for (int t = 0; t < steps; t++) {
    generation(n, m, cell, next, glow);
    int (*swap)[m] = cell;
    cell = next;
    next = swap;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      alive += cell[i][j];
  printf("%d cells live\n", alive);
  if (picture)
    write_picture(picture, glow[0], m, n, 0.0f, 1.0f, NIGHT);
  free(cell);
  free(next);
  free(glow);
  return 0;
}
