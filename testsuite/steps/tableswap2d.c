/* tableswap2d: Planes in a table of the file that a function swaps, and pointers that are swapped by way of `void *`.
 * hexcc-test: args=N,T run=3,2;20,9;65,12
 */
#include <stdio.h>
#include <stdlib.h>

static double *planes[2];

static void sweep(int n, int pitch)
{
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= n; j++)
      planes[1][i * pitch + j] = 0.25 * (planes[0][(i - 1) * pitch + j] + planes[0][(i + 1) * pitch + j] + planes[0][i * pitch + j - 1] + planes[0][i * pitch + j + 1]);
}

static void swap(void)
{
  double *first = planes[0];
  planes[0] = planes[1];
  planes[1] = first;
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 65, steps = argc > 2 ? atoi(argv[2]) : 12, w = n + 2;
  double sum = 0;

  planes[0] = malloc(sizeof(double) * w * w);
  planes[1] = malloc(sizeof(double) * w * w);
  if (!planes[0] || !planes[1])
    return 1;
  for (int i = 0; i < w * w; i++)
    planes[0][i] = planes[1][i] = i * 7 % 11;
  for (int t = 0; t < steps; t++) {
    sweep(n, w);
    swap();
  }
  double *u = planes[0], *v = planes[1];
  void *other;
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i <= n; i++)
      for (int j = 1; j <= n; j++)
        v[i * w + j] = 0.5 * (u[i * w + j - 1] + u[i * w + j + 1]);
    other = u;
    u = v;
    v = other;
  }
  for (int i = 0; i < w * w; i++)
    sum += u[i] * (i % 17 + 1);
  printf("%.17g\n", sum);
  free(planes[0]);
  free(planes[1]);
  return 0;
}
