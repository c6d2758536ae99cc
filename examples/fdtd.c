/* Light through a lens of glass: Maxwell's equations in two dimensions (TM), Yee's scheme.
 * usage: fdtd [ROWS [COLUMNS [STEPS]]] [PICTURE.png] */
#include <math.h>
#include "picture.h"

/* The step over the permittivity: less in the lens, which lies between two circles. */
static void build(float *ce, int rows, int columns)
{
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) {
      float y = (i - 0.5f * rows) / rows, x = (j - 0.42f * columns) / rows, r = 0.72f;

      ce[i * columns + j] = 0.5f;
      if (y * y + (x - 0.60f) * (x - 0.60f) < r * r && y * y + (x + 0.60f) * (x + 0.60f) < r * r)
        ce[i * columns + j] = 0.5f / 2.25f;
    }
}

static void update_h(float *hx, float *hy, const float *ez, int rows, int columns)
{
  for (int i = 0; i < rows - 1; i++)
    for (int j = 0; j < columns - 1; j++) {
      hx[i * columns + j] -= 0.5f * (ez[(i + 1) * columns + j] - ez[i * columns + j]);
      hy[i * columns + j] += 0.5f * (ez[i * columns + j + 1] - ez[i * columns + j]);
    }
}

static void update_e(float *ez, const float *hx, const float *hy, const float *ce, int rows, int columns)
{
  for (int i = 1; i < rows - 1; i++)
    for (int j = 1; j < columns - 1; j++)
      ez[i * columns + j] += ce[i * columns + j] * (hy[i * columns + j] - hy[i * columns + j - 1]
                                                   - hx[i * columns + j] + hx[(i - 1) * columns + j]);
}

int main(int argc, char **argv)
{
  const char *picture = argc > 1 && strstr(argv[argc - 1], ".png") ? argv[--argc] : NULL;
  int rows = argc > 1 ? atoi(argv[1]) : 64;
  int columns = argc > 2 ? atoi(argv[2]) : 96;
  int steps = argc > 3 ? atoi(argv[3]) : 100;
  size_t cells = (size_t)rows * columns;
  float *ez = calloc(cells, sizeof(float)), *hx = calloc(cells, sizeof(float)), *hy = calloc(cells, sizeof(float));
  float *ce = malloc(cells * sizeof(float));
  double energy = 0;

  build(ce, rows, columns);
  for (int t = 0; t < steps; t++) {
    update_h(hx, hy, ez, rows, columns);
    update_e(ez, hx, hy, ce, rows, columns);
    for (int i = rows / 8; i < rows - rows / 8; i++)
      ez[i * columns + 8] += sinf(0.35f * t);
  }
  for (size_t c = 0; c < cells; c++)
    energy += ez[c] * ez[c] / ce[c] + 2.0f * (hx[c] * hx[c] + hy[c] * hy[c]);
  printf("energy %.9g\n", energy);
  if (picture)
    write_picture(picture, ez, columns, rows, -1.0f, 1.0f, WAVE);
  free(ez);
  free(hx);
  free(hy);
  free(ce);
  return 0;
}
