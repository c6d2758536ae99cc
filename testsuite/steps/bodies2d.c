/* bodies2d: What loops do with a cell has control flow that pet does not read, and becomes a function of the cell.
 * hexcc-test: args=H,W,T run=3,3,2;9,40,3;33,16,7;20,12,4;40,67,3 warns=HX0107
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 40
#define COLS 72
#define LIMIT (2 * COLS)

typedef unsigned char pixel;
enum state { EMPTY, TREE, FIRE };

static int forest[ROWS][COLS], future[ROWS][COLS];
static const int step_x[4] = {1, 0, -1, 0}, step_y[4] = {0, 1, 0, -1};
static float weight = 0.25f;
static int height, width;

/* Sorts in place. */
static void sort(pixel *v, int n)
{
  for (int i = 1; i < n; i++) {
    pixel key = v[i];
    int j = i - 1;
    while (j >= 0 && v[j] > key) {
      v[j + 1] = v[j];
      j--;
    }
    v[j + 1] = key;
  }
}

/* A window gathered with a counter, sorted by a function. */
static void median(pixel *out, const pixel *in, size_t w, size_t h)
{
  for (size_t y = 1; y + 1 < h; ++y)
    for (size_t x = 1; x + 1 < w; ++x) {
      pixel window[9];
      int k = 0;
      for (size_t yy = y - 1; yy <= y + 1; ++yy)
        for (size_t xx = x - 1; xx <= x + 1; ++xx)
          window[k++] = in[yy * w + xx];
      sort(window, 9);
      out[y * w + x] = window[4];
    }
}

static int get(int *world, int x, int y)
{
  x = (x + width) % width;
  y = (y + height) % height;
  return world[y * width + x];
}

/* A function of functions that read globals, with variables declared at the top. */
static int neighbours(int *world, int x, int y)
{
  int d, count = 0;
  for (d = 0; d < 4; d++)
    if (get(world, x + step_x[d], y + step_y[d]) & 1)
      count++;
  return count;
}

static void evolve(int *world, int *next)
{
  int x, y, n, last;
  for (y = 0; y < height; y++)
    for (x = 0; x < width; x++) {
      n = neighbours(world, x, y);
      last = n > 3 ? 3 : n;
      if (get(world, x, y) & 1)
        next[y * width + x] = n == 2 || last == 3;
      else if (n == 3)
        next[y * width + x] = 1;
      else
        next[y * width + x] = last & 2;
    }
}

/* Cells that keep what they have; cases without a default. */
static void burn(int t)
{
  for (int i = 1; i < ROWS - 1; i++)
    for (int j = 1; j < COLS - 1; j++) {
      if ((i * j + t) % 7 == 0)
        continue;
      switch (forest[i][j]) {
      case EMPTY:
        if ((i + 3 * j + t) % 11 == 0)
          future[i][j] = TREE;
        break;
      case TREE:
        for (int d = 0; d < 4; d++)
          if (forest[i + step_y[d]][j + step_x[d]] == FIRE) {
            future[i][j] = FIRE;
            break;
          }
        break;
      case FIRE:
        future[i][j] = EMPTY;
      }
    }
}

/* Iterations until a number is large, with sums in two results. */
static void escape(float *re, float *im, int *count, const float *cre, const float *cim, int n)
{
  int i, k;
  float x, y, z;
  for (i = 0; i < n; i++) {
    x = cre[i];
    y = cim[i];
    for (k = 0; k < LIMIT && x * x + y * y < 4.0f; k++) {
      z = x * x - y * y + cre[i] * weight;
      y = 2 * x * y + cim[i];
      x = z;
    }
    re[i] = x;
    im[i] = sqrt(fabs(y));
    count[i] += k;
  }
}

/* Places that data say. */
static void carry(float *out, const float *in, const float *u, const float *v, int w, int h)
{
  for (int j = 0; j < h; j++)
    for (int i = 0; i < w; i++) {
      float x = i - u[j * w + i], y = j - v[j * w + i];
      if (x < 0.5f) x = 0.5f;
      if (x > w - 1.5f) x = w - 1.5f;
      if (y < 0.5f) y = 0.5f;
      if (y > h - 1.5f) y = h - 1.5f;
      int i0 = (int)x, j0 = (int)y;
      float s = x - i0, r = y - j0;
      out[j * w + i] = (1 - s) * ((1 - r) * in[j0 * w + i0] + r * in[(j0 + 1) * w + i0])
                       + s * ((1 - r) * in[j0 * w + i0 + 1] + r * in[(j0 + 1) * w + i0 + 1]);
    }
}

static uint64_t add(uint64_t hash, const void *p, size_t n)
{
  const unsigned char *bytes = (const unsigned char *)p;
  for (size_t i = 0; i < n; i++)
    hash = (hash ^ bytes[i]) * 1099511628211u;
  return hash;
}

int main(int argc, char **argv)
{
  int h = argc > 1 ? atoi(argv[1]) : 24, w = argc > 2 ? atoi(argv[2]) : 30, steps = argc > 3 ? atoi(argv[3]) : 4;
  size_t n = (size_t)h * w;
  pixel *a = malloc(n), *b = malloc(n), *p;
  int *world = malloc(n * sizeof(int)), *next = malloc(n * sizeof(int)), *count = calloc(n, sizeof(int)), *q;
  float *f[6], *g;
  uint64_t hash = 14695981039346656037u;

  height = h;
  width = w;
  for (int k = 0; k < 6; k++) {
    f[k] = malloc(n * sizeof(float));
    for (size_t i = 0; i < n; i++)
      f[k][i] = (float)((i * (k + 3)) % 17) / 8 - 1;
  }
  for (size_t i = 0; i < n; i++) {
    a[i] = (pixel)(i * 37 % 251);
    b[i] = 0;
    world[i] = (i * i + i / 3) % 5 < 2;
    next[i] = 0;
  }
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLS; j++)
      forest[i][j] = (i * 5 + j * 3 + i * j) % 3;

  for (int t = 0; t < steps; t++) {
    median(b, a, w, h);
    p = a, a = b, b = p;
    evolve(world, next);
    q = world, world = next, next = q;
    burn(t);
    memcpy(forest, future, sizeof(forest));
    escape(f[0], f[1], count, f[2], f[3], (int)n);
    carry(f[4], f[5], f[2], f[3], w, h);
    g = f[4], f[4] = f[5], f[5] = g;
    if (t % 2 == 0)
      printf("%d: %d %d\n", t, a[n / 2], world[n / 2]);
  }
  hash = add(hash, a, n);
  hash = add(hash, world, n * sizeof(int));
  hash = add(hash, count, n * sizeof(int));
  hash = add(hash, forest, sizeof(forest));
  for (int k = 0; k < 6; k++)
    hash = add(hash, f[k], n * sizeof(float));
  printf("%016llx\n", (unsigned long long)hash);
  return 0;
}
