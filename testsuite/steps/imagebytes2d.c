/* imagebytes2d: Images with their sizes and a pointer to bytes, blurred from one into the other by a function; a mask of truth values.
 * hexcc-test: args=N,M,T run=3,4,2;20,31,3;65,50,12;130,70,9
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

typedef unsigned char Pixel;

typedef struct
{
  int w, h;
  Pixel *p;
} Image;

typedef struct
{
  int w, h;
  bool *cells;
} Mask;

static void blur(const Image *s, Image *d)
{
  for (int y = 1; y < s->h - 1; y++)
    for (int x = 1; x < s->w - 1; x++)
      d->p[y * s->w + x] = (s->p[y * s->w + x - 1] + 2 * s->p[y * s->w + x] + s->p[y * s->w + x + 1] + s->p[(y - 1) * s->w + x]) / 5;
}

static void mark(const Image *s, Mask *m)
{
  for (int y = 0; y < s->h; y++)
    for (int x = 0; x < s->w; x++)
      m->cells[y * s->w + x] = s->p[y * s->w + x] & 96;
}

int main(int argc, char **argv)
{
  int h = argc > 1 ? atoi(argv[1]) : 65, w = argc > 2 ? atoi(argv[2]) : 50, steps = argc > 3 ? atoi(argv[3]) : 12;
  Image a = {w, h, malloc(w * h)}, b = {w, h, malloc(w * h)};
  Mask m = {w, h, malloc(w * h * sizeof(bool))};
  unsigned sum = 0;

  if (!a.p || !b.p || !m.cells)
    return 1;
  for (int k = 0; k < w * h; k++)
    a.p[k] = b.p[k] = k * 7919 % 251;
  for (int t = 0; t < steps; t++) {
    blur(&a, &b);
    Pixel *held = a.p;
    a.p = b.p;
    b.p = held;
  }
  mark(&a, &m);
  for (int k = 0; k < w * h; k++)
    sum = sum * 31 + a.p[k] + 3 * m.cells[k];
  printf("%u\n", sum);
  free(a.p);
  free(b.p);
  free(m.cells);
  return 0;
}
