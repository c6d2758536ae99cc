/* pitch2d: A flat array with rows that are longer than what is computed of them. Where they are shorter, C's own loops run.
 * hexcc-test: args=H,W,P,T run=3,3,4,2;9,12,12,3;33,16,20,7;20,12,9,4;5,40,7,3 warns=HX0107
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define AT(i, j) ((i) * pitch + (j))

static void step(int h, int w, int pitch, const double *u, double *v, double k)
{
  int i, j;

  for (i = 1; i < h - 1; i++) {
    for (j = 1; j < w - 1; j++)
      v[AT(i, j)] = u[AT(i, j)] + k * (u[AT(i - 1, j)] + u[AT(i + 1, j)] + u[AT(i, j - 1)] + u[AT(i, j + 1)] - 4.0 * u[AT(i, j)]);
  }
}

static void in_place(int h, int w, int pitch, double *u)
{
  for (int i = 0; i < h; i++)
    for (int j = 0; j < w; j++)
      u[AT(i, j)] = 0.5 * fabs(u[AT(i, j)]) + 0.125;
}

int main(int argc, char **argv)
{
  int h = argc > 1 ? atoi(argv[1]) : 20, w = argc > 2 ? atoi(argv[2]) : 30, pitch = argc > 3 ? atoi(argv[3]) : 32;
  int steps = argc > 4 ? atoi(argv[4]) : 5, i, t;
  size_t n = (size_t)h * pitch + w;
  double *u = malloc(n * sizeof *u), *v = malloc(n * sizeof *v), *swap;

  if (!u || !v)
    return 1;
  for (i = 0; i < (int)n; i++)
    u[i] = v[i] = (i * 31 % 101 - 50) * 0.1;
  for (t = 0; t < steps; t++) {
    step(h, w, pitch, u, v, 0.1);
    in_place(h, w, pitch, v);
    swap = u;
    u = v;
    v = swap;
    printf("%.17g\n", u[h / 2 * pitch + w / 2]);
  }
  for (i = 0; i < (int)n; i++)
    printf("%.17g %.17g\n", u[i], v[i]);
  free(u);
  free(v);
  return 0;
}
