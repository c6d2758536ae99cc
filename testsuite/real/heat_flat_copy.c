/* Heat conduction on a plate: flat arrays, an index macro, the size as a product, and loops over all cells that copy back and
 * look for the largest change. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define IDX(i, j) ((i) * ny + (j))

int main(int argc, char **argv)
{
  int nx = argc > 1 ? atoi(argv[1]) : 60;
  int ny = argc > 2 ? atoi(argv[2]) : 45;
  int size = nx * ny;
  double *t_old = malloc(size * sizeof(double));
  double *t_new = malloc(size * sizeof(double));
  double change = 1.0, heat = 0.0;
  int i, j, k, iterations = 0;

  for (k = 0; k < size; k++)
    t_old[k] = t_new[k] = k % ny == 0 ? 100.0 : (double)(k * 7 % 13);

  while (change > 0.01 && iterations < 300) {
    for (i = 1; i < nx - 1; i++)
      for (j = 1; j < ny - 1; j++)
        t_new[IDX(i, j)] = t_old[IDX(i, j)] + 0.2 * (t_old[IDX(i - 1, j)] + t_old[IDX(i + 1, j)] + t_old[IDX(i, j - 1)] + t_old[IDX(i, j + 1)] - 4.0 * t_old[IDX(i, j)]);
    change = 0.0;
    for (k = 0; k < size; k++) {
      double d = fabs(t_new[k] - t_old[k]);
      if (d > change)
        change = d;
    }
    for (k = 0; k < size; k++)
      t_old[k] = t_new[k];
    iterations++;
  }

  for (k = 0; k < size; k++)
    heat += t_old[k] * (k % 5);
  printf("%d %.15g %.15g\n", iterations, change, heat);
  free(t_old);
  free(t_new);
  return 0;
}
