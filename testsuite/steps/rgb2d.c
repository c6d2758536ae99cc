/* rgb2d: Cells behind a struct pointer, pointers to rows of them, and a time loop that stays on the host and exchanges them.
 * hexcc-test: args=h,w,T run=3,3,0;4,3,2;40,23,5;65,90,3 warns=HX0107
 */
#include <stdio.h>
#include <stdlib.h>

struct rgb {
  unsigned short r, g, b;
  float weight;
};

typedef struct {
  int w, h;
  struct rgb *px;
} image;

static void blur(const image *in, image *out)
{
  for (int y = 1; y < in->h - 1; y++) {
    const struct rgb *row = in->px + y * in->w;
    struct rgb *to = out->px + y * in->w;

    for (int x = 1; x < in->w - 1; x++) {
      to[x].r = (row[x - 1].r + 2 * row[x].r + row[x + 1].r) / 4;
      to[x].g = (row[x - 1].g + 2 * row[x].g + row[x + 1].g) / 4;
      to[x].b = (row[x - 1].b + 2 * row[x].b + row[x + 1].b) / 4;
      to[x].weight = row[x].weight * 0.5f + row[x - 1].weight;
    }
  }
}

static void gray(int w, int h, struct rgb *px)
{
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      struct rgb *p = &px[y * w + x];
      unsigned short l = (unsigned short)((p->r * 77 + p->g * 150 + p->b * 29) >> 8);

      p->r = l;
      p->g = l;
    }
}

int main(int argc, char **argv)
{
  int T = argc > 3 ? atoi(argv[3]) : 5;
  image a = {argc > 2 ? atoi(argv[2]) : 23, argc > 1 ? atoi(argv[1]) : 40, 0}, b = a;
  size_t n = (size_t)(a.w * a.h);
  unsigned hash = 0;

  a.px = malloc(n * sizeof *a.px);
  b.px = calloc(n, sizeof *b.px);
  for (size_t i = 0; i < n; i++) {
    a.px[i].r = (unsigned short)(i * 7);
    a.px[i].g = (unsigned short)(i * 13);
    a.px[i].b = (unsigned short)(i / 3);
    a.px[i].weight = (float)(i % 5);
  }

  for (int t = 0; t < T; t++) {
    struct rgb *px = a.px;

    blur(&a, &b);
    a.px = b.px;
    b.px = px;
    printf("%d: %d\n", t, a.px[n / 2].r);
  }
  gray(a.w, a.h, a.px);

  for (size_t i = 0; i < n; i++)
    hash = hash * 31 + a.px[i].r + a.px[i].g * 3u + a.px[i].b * 5u + (unsigned)a.px[i].weight;
  printf("hash %x\n", hash);
  free(a.px);
  free(b.px);
  return 0;
}
