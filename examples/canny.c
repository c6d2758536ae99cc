/* Canny's edges of an image: blur, gradient, its ridges; then edges grow from strong into weak pixels.
 * usage: canny [ROWS [COLUMNS [ROUNDS]]] [PICTURE.png] */
#include <math.h>
#include "picture.h"

#define WEAK 12.0f
#define STRONG 60.0f

/* Rings, a board and some noise. */
static void draw(int n, int m, float image[n][m])
{
  unsigned random = 1;

  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      float y = (float)i / n, x = (float)j / n, r = (x - 0.45f) * (x - 0.45f) + (y - 0.5f) * (y - 0.5f);

      random = random * 1664525u + 1013904223u;
      image[i][j] = 90.0f + 40.0f * x + (random >> 24) / 24.0f;
      if (r < 0.15f)
        image[i][j] += 60.0f * cosf(150.0f * r);
      else if (x > 0.9f && x < 1.4f && y > 0.1f && y < 0.9f)
        image[i][j] += ((int)(10 * x + 3 * y) + (int)(10 * y - 3 * x + 10)) % 2 ? 50.0f : -30.0f;
    }
}

static void blur(int n, int m, float in[n][m], float out[n][m])
{
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++)
      out[i][j] = 0.0625f * (in[i - 1][j - 1] + in[i - 1][j + 1] + in[i + 1][j - 1] + in[i + 1][j + 1])
        + 0.125f * (in[i - 1][j] + in[i][j - 1] + in[i][j + 1] + in[i + 1][j]) + 0.25f * in[i][j];
}

static void gradient(int n, int m, float in[n][m], float gx[n][m], float gy[n][m], float size[n][m])
{
  for (int i = 2; i < n - 2; i++)
    for (int j = 2; j < m - 2; j++) {
      float a = in[i + 1][j + 1] - in[i - 1][j - 1], b = in[i - 1][j + 1] - in[i + 1][j - 1];

      gx[i][j] = a + b + 2.0f * (in[i][j + 1] - in[i][j - 1]);
      gy[i][j] = a - b + 2.0f * (in[i + 1][j] - in[i - 1][j]);
      size[i][j] = sqrtf(gx[i][j] * gx[i][j] + gy[i][j] * gy[i][j]);
    }
}

/* Where the gradient is largest along its direction: 2 for a strong edge, 1 for a weak one. */
static void ridges(int n, int m, float gx[n][m], float gy[n][m], float size[n][m], int edge[n][m])
{
  for (int i = 3; i < n - 3; i++)
    for (int j = 3; j < m - 3; j++) {
      float x = fabsf(gx[i][j]), y = fabsf(gy[i][j]);
      float across = fmaxf(size[i][j - 1], size[i][j + 1]), along = fmaxf(size[i - 1][j], size[i + 1][j]);
      float falling = fmaxf(size[i - 1][j - 1], size[i + 1][j + 1]), rising = fmaxf(size[i - 1][j + 1], size[i + 1][j - 1]);
      float beside = y < 0.41f * x ? across : x < 0.41f * y ? along : gx[i][j] * gy[i][j] > 0.0f ? falling : rising;

      edge[i][j] = size[i][j] < beside ? 0 : size[i][j] > STRONG ? 2 : size[i][j] > WEAK;
    }
}

/* A weak pixel beside a strong one becomes strong. */
static void grow(int n, int m, int edge[n][m], int next[n][m])
{
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++)
      next[i][j] = edge[i][j] == 1 && (edge[i - 1][j - 1] == 2 || edge[i - 1][j] == 2 || edge[i - 1][j + 1] == 2
                                       || edge[i][j - 1] == 2 || edge[i][j + 1] == 2 || edge[i + 1][j - 1] == 2
                                       || edge[i + 1][j] == 2 || edge[i + 1][j + 1] == 2) ? 2 : edge[i][j];
}

int main(int argc, char **argv)
{
  const char *picture = argc > 1 && strstr(argv[argc - 1], ".png") ? argv[--argc] : NULL;
  int n = argc > 1 ? atoi(argv[1]) : 64, m = argc > 2 ? atoi(argv[2]) : 96, rounds = argc > 3 ? atoi(argv[3]) : 20;
  size_t size = sizeof(float[n][m]);
  float (*image)[m] = calloc(1, size), (*smooth)[m] = calloc(1, size), (*slope)[m] = calloc(1, size);
  float (*gx)[m] = calloc(1, size), (*gy)[m] = calloc(1, size);
  int (*edge)[m] = calloc(n, sizeof *edge), (*next)[m] = calloc(n, sizeof *next), found = 0;

  draw(n, m, image);
  blur(n, m, image, smooth);
  gradient(n, m, smooth, gx, gy, slope);
  ridges(n, m, gx, gy, slope, edge);
  for (int t = 0; t < rounds; t++) {
    grow(n, m, edge, next);
    int (*swap)[m] = edge;
    edge = next;
    next = swap;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      found += edge[i][j] == 2;
      image[i][j] = edge[i][j] == 2 ? 1.0f : image[i][j] / 512.0f;
    }
  printf("%d pixels are edges\n", found);
  if (picture)
    write_picture(picture, image[0], m, n, 0.0f, 1.0f, NIGHT);
  return 0;
}
