/* Waves in a basin: mirrored in x, periodic in y; neighbours chosen by if and else. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double *field(int nx, int ny)
{
  double *f = malloc(sizeof(double) * nx * ny);
  memset(f, 0, sizeof(double) * nx * ny);
  return f;
}

int main(int argc, char **argv)
{
  int nx = argc > 1 ? atoi(argv[1]) : 60;
  int ny = argc > 2 ? atoi(argv[2]) : 44;
  int steps = argc > 3 ? atoi(argv[3]) : 50;
  double c2 = 0.2;
  double *before = field(nx, ny), *now = field(nx, ny), *next = field(nx, ny), *swap;
  int i, j, n;
  int im, ip, jm, jp;

  for (i = 0; i < nx; i++)
    for (j = 0; j < ny; j++)
      now[i * ny + j] = before[i * ny + j] = (i * 7 + j * 13) % 23 / 23.0;

  for (n = 0; n < steps; n++) {
    for (i = 0; i < nx; i++) {
      if (i == 0)
        im = 1;
      else
        im = i - 1;
      if (i == nx - 1)
        ip = nx - 2;
      else
        ip = i + 1;
      for (j = 0; j < ny; j++) {
        if (j == 0) {
          jm = ny - 1;
          jp = j + 1;
        } else if (j == ny - 1) {
          jm = j - 1;
          jp = 0;
        } else {
          jm = j - 1;
          jp = j + 1;
        }
        next[i * ny + j] = 2.0 * now[i * ny + j] - before[i * ny + j]
          + c2 * (now[im * ny + j] + now[ip * ny + j] + now[i * ny + jm] + now[i * ny + jp]
                  - 4.0 * now[i * ny + j]);
      }
    }
    swap = before;
    before = now;
    now = next;
    next = swap;
    if (n % 10 == 9)
      printf("%d %.12f\n", n + 1, now[(nx / 3) * ny + ny / 2]);
  }

  double total = 0.0;
  for (i = 0; i < nx * ny; i++)
    total += now[i] * now[i];
  printf("%.12f\n", total);
  free(before);
  free(now);
  free(next);
  return 0;
}
