/* Ghost cells that a function copies within one array, of which kernels cannot know. */
#include <stdio.h>
#include <stdlib.h>

static void copy(double *to, const double *from, int rows, int columns, int pitch)
{
  for (int y = 0; y < rows; y++)
    for (int x = 0; x < columns; x++)
      to[y * pitch + x] = from[y * pitch + x];
}

int main(void)
{
  int n = 30, w = n + 2;
  double *u = malloc(sizeof(double) * w * w), *v = malloc(sizeof(double) * w * w), sum = 0;

  if (!u || !v)
    return 1;
  for (int i = 0; i < w * w; i++)
    u[i] = v[i] = i * 7 % 11;
  for (int t = 0; t < 9; t++) {
    copy(u, u + n, w, 1, w);
    copy(u + n + 1, u + 1, w, 1, w);
    copy(u, u + n * w, 1, w, w);
    copy(u + (n + 1) * w, u + w, 1, w, w);
    for (int i = 1; i <= n; i++)
      for (int j = 1; j <= n; j++)
        v[i * w + j] = 0.25 * (u[(i - 1) * w + j] + u[(i + 1) * w + j] + u[i * w + j - 1] + u[i * w + j + 1]);
    for (int i = 1; i <= n; i++)
      for (int j = 1; j <= n; j++)
        u[i * w + j] = v[i * w + j];
    printf("%.17g\n", u[w + 1]);
  }
  for (int i = 0; i < w * w; i++)
    sum += u[i] * (i % 17 + 1);
  printf("%.17g\n", sum);
  free(u);
  free(v);
  return 0;
}
