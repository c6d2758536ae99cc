/* Shallow water: a wave runs over a sea of varying depth, around three islands.
 * usage: shallow [ROWS [COLUMNS [STEPS]]] [PICTURE.png] */
#include <math.h>
#include "picture.h"

#define G 9.81f
#define DT 0.05f /* over the distance of two cells */

/* The depth of the sea, 0 on land, and a hump of water in the corner. */
static void build(int n, int m, float depth[n][m], float level[n][m])
{
  static const float island[][3] = {{0.30f, 0.55f, 0.30f}, {0.37f, 0.63f, 0.26f}, {0.74f, 0.90f, 0.34f},
                                    {0.68f, 0.98f, 0.30f}, {0.26f, 1.20f, 0.28f}};

  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      float y = (float)i / n, x = (float)j / n, near = (y - 0.65f) * (y - 0.65f) + (x - 0.2f) * (x - 0.2f);
      float shore = 1.0f;

      for (int k = 0; k < 5; k++) {
        float r = sqrtf((y - island[k][0]) * (y - island[k][0]) + (x - island[k][1]) * (x - island[k][1]));

        shore = fminf(shore, r / island[k][2]);
      }
      depth[i][j] = shore < 0.3f ? 0.0f : 10.0f * shore;
      level[i][j] = 2.0f * expf(-700.0f * near);
    }
}

/* Water speeds up towards where it stands lower; none flows where there is land on one side. */
static void flow(int n, int m, float depth[n][m], float level[n][m], float down[n][m], float right[n][m])
{
  for (int i = 0; i < n - 1; i++)
    for (int j = 0; j < m - 1; j++) {
      float wet = depth[i][j] > 0.0f ? DT * G : 0.0f;

      down[i][j] += depth[i + 1][j] > 0.0f ? wet * (level[i][j] - level[i + 1][j]) : 0.0f;
      right[i][j] += depth[i][j + 1] > 0.0f ? wet * (level[i][j] - level[i][j + 1]) : 0.0f;
    }
}

static void rise(int n, int m, float depth[n][m], float level[n][m], float down[n][m], float right[n][m])
{
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++)
      level[i][j] -= 0.5f * DT * ((depth[i][j] + depth[i][j + 1]) * right[i][j] - (depth[i][j - 1] + depth[i][j]) * right[i][j - 1]
                                  + (depth[i][j] + depth[i + 1][j]) * down[i][j] - (depth[i - 1][j] + depth[i][j]) * down[i - 1][j]);
}

int main(int argc, char **argv)
{
  const char *picture = argc > 1 && strstr(argv[argc - 1], ".png") ? argv[--argc] : NULL;
  int n = argc > 1 ? atoi(argv[1]) : 64;
  int m = argc > 2 ? atoi(argv[2]) : 96;
  int steps = argc > 3 ? atoi(argv[3]) : 100;
  float (*depth)[m] = calloc(n, sizeof *depth), (*level)[m] = calloc(n, sizeof *level);
  float (*down)[m] = calloc(n, sizeof *down), (*right)[m] = calloc(n, sizeof *right);
  double energy = 0;

  build(n, m, depth, level);
  for (int t = 0; t < steps; t++) {
    flow(n, m, depth, level, down, right);
    rise(n, m, depth, level, down, right);
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      energy += 0.5f * G * level[i][j] * level[i][j];
      energy += 0.5f * depth[i][j] * (down[i][j] * down[i][j] + right[i][j] * right[i][j]);
      if (depth[i][j] == 0.0f)
        level[i][j] = -99.0f; /* land */
    }
  printf("energy %.9g\n", energy);
  if (picture)
    write_picture(picture, level[0], m, n, -0.5f, 0.35f, SHORE);
  free(depth);
  free(level);
  free(down);
  free(right);
  return 0;
}
