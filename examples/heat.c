/* Heat through a plate with discs of an insulator: the edges are hot.
 * usage: heat [ROWS [COLUMNS [STEPS]]] [PICTURE.png] */
#include "picture.h"

/* How well heat flows: hardly at all in discs of an insulator. */
static void build(float *k, int rows, int columns)
{
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) {
      float y = 4.0f * i / rows, x = 4.0f * j / rows + 0.25f;
      int column = (int)x;

      x -= column + 0.5f;
      y += 0.5f * (column % 2) + 0.5f;
      y -= (int)y + 0.5f;
      k[i * columns + j] = x * x + y * y < 0.13f ? 0.004f : 1.0f;
    }
}

/* One step: what flows through the four sides of each cell. */
static void step(const float *k, const float *u, float *next, int rows, int columns)
{
  for (int i = 1; i < rows - 1; i++)
    for (int j = 1; j < columns - 1; j++) {
      int c = i * columns + j;

      next[c] = u[c] + 0.12f * ((k[c] + k[c - 1]) * (u[c - 1] - u[c]) + (k[c] + k[c + 1]) * (u[c + 1] - u[c])
                                + (k[c] + k[c - columns]) * (u[c - columns] - u[c])
                                + (k[c] + k[c + columns]) * (u[c + columns] - u[c]));
    }
}

int main(int argc, char **argv)
{
  const char *picture = argc > 1 && strstr(argv[argc - 1], ".png") ? argv[--argc] : NULL;
  int rows = argc > 1 ? atoi(argv[1]) : 64;
  int columns = argc > 2 ? atoi(argv[2]) : 96;
  int steps = argc > 3 ? atoi(argv[3]) : 100;
  size_t size = (size_t)rows * columns * sizeof(float);
  float *k = malloc(size), *u = malloc(size), *next = malloc(size);
  double sum = 0;

  build(k, rows, columns);
  for (int c = 0; c < rows * columns; c++)
    u[c] = next[c] = c < columns || c >= (rows - 1) * columns || c % columns == 0 || c % columns == columns - 1;
  for (int t = 0; t < steps; t++) {
    step(k, u, next, rows, columns);
    float *swap = u;
    u = next;
    next = swap;
  }
  for (int c = 0; c < rows * columns; c++)
    sum += u[c];
  printf("mean temperature %.9f\n", sum / rows / columns);
  if (picture)
    write_picture(picture, u, columns, rows, 0.0f, 1.0f, FIRE);
  free(k);
  free(u);
  free(next);
  return 0;
}
