/* A wave from an oscillating source passes two slits in a wall.
 * usage: wave [ROWS [COLUMNS [STEPS]]] [PICTURE.png] */
#include <math.h>
#include "picture.h"

/* The square of the speed: 0 in the wall; friction grows towards the edges, which swallow the wave. */
static void build(float *speed2, float *friction, int rows, int columns)
{
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) {
      int edge = i < rows - 1 - i ? i : rows - 1 - i;
      float slit = fabsf(fabsf(i - 0.5f * rows) - 0.12f * rows);

      if (j < edge)
        edge = j;
      if (columns - 1 - j < edge)
        edge = columns - 1 - j;
      speed2[i * columns + j] = abs(j - columns / 3) < 3 && slit > 0.03f * rows ? 0.0f : 0.45f;
      friction[i * columns + j] = edge < 20 ? 0.0006f * (20 - edge) * (20 - edge) : 0.0f;
    }
}

static void step(const float *speed2, const float *friction, const float *before, const float *now, float *after,
                 int rows, int columns)
{
  for (int i = 1; i < rows - 1; i++)
    for (int j = 1; j < columns - 1; j++) {
      int c = i * columns + j;
      float laplace = now[c - columns] + now[c + columns] + now[c - 1] + now[c + 1] - 4.0f * now[c];

      after[c] = now[c] + (1.0f - friction[c]) * (now[c] - before[c]) + speed2[c] * laplace;
    }
}

int main(int argc, char **argv)
{
  const char *picture = argc > 1 && strstr(argv[argc - 1], ".png") ? argv[--argc] : NULL;
  int rows = argc > 1 ? atoi(argv[1]) : 64;
  int columns = argc > 2 ? atoi(argv[2]) : 96;
  int steps = argc > 3 ? atoi(argv[3]) : 100;
  size_t cells = (size_t)rows * columns;
  float *speed2 = malloc(cells * sizeof(float)), *friction = malloc(cells * sizeof(float));
  float *before = calloc(cells, sizeof(float)), *now = calloc(cells, sizeof(float)), *after = calloc(cells, sizeof(float));
  int row = rows / 2, column = columns / 6; /* of the source */
  float *signal = malloc((steps + 1) * sizeof(float));
  double energy = 0;

  build(speed2, friction, rows, columns);
  for (int t = 0; t < steps; t++)
    signal[t] = 2.0f * sinf(0.32f * t);
  for (int t = 0; t < steps; t++) {
    step(speed2, friction, before, now, after, rows, columns);
    after[row * columns + column] += signal[t];
    float *oldest = before;
    before = now;
    now = after;
    after = oldest;
  }
  for (size_t c = 0; c < cells; c++)
    energy += now[c] * now[c];
  printf("energy %.9g\n", energy);
  if (picture)
    write_picture(picture, now, columns, rows, -0.3f, 0.3f, WAVE);
  free(speed2);
  free(friction);
  free(before);
  free(now);
  free(after);
  free(signal);
  return 0;
}
