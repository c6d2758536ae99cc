/* lengths3d: Lengths of planes in variables: before the time loop, and in the function of a step; members of a struct of the file in a helper.
 * hexcc-test: args=N,T run=3,2;6,4;17,9;30,12
 */
#include <stdio.h>
#include <stdlib.h>

#define IDX(i, j, k) ((i) * plane + (j) * nz + (k))

static struct { int width, height; } grid;

static double neighbours(const double *u, int x, int y)
{
  return u[y * grid.width + x - 1] + u[y * grid.width + x + 1] + u[(y - 1) * grid.width + x] + u[(y + 1) * grid.width + x];
}

static void step(const double *u, double *v, int nx, int ny, int nz)
{
  int plane = ny * nz;

  for (int i = 1; i < nx - 1; i++)
    for (int j = 1; j < ny - 1; j++)
      for (int k = 1; k < nz - 1; k++)
        v[IDX(i, j, k)] = 0.4 * u[IDX(i, j, k)] + 0.1 * (u[IDX(i - 1, j, k)] + u[IDX(i + 1, j, k)] + u[IDX(i, j - 1, k)] + u[IDX(i, j + 1, k)] + u[IDX(i, j, k - 1)] + u[IDX(i, j, k + 1)]);
}

int main(int argc, char **argv)
{
  int nx = argc > 1 ? atoi(argv[1]) : 30, steps = argc > 2 ? atoi(argv[2]) : 12, ny = nx + 1, nz = nx + 2;
  int plane = ny * nz, cells = nx * plane;
  double *u = malloc(sizeof(double) * cells), *v = malloc(sizeof(double) * cells), sum = 0;

  if (!u || !v)
    return 1;
  for (int i = 0; i < cells; i++)
    u[i] = v[i] = i * 7 % 11;
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < nx - 1; i++)
      for (int j = 1; j < ny - 1; j++)
        for (int k = 1; k < nz - 1; k++)
          v[plane * i + nz * j + k] = 0.25 * (u[plane * (i - 1) + nz * j + k] + u[plane * (i + 1) + nz * j + k] + u[plane * i + nz * j + k - 1] + u[plane * i + nz * j + k + 1]);
    for (int i = 0; i < cells; i++)
      u[i] = v[i];
  }
  for (int t = 0; t < steps; t++) {
    void *other = u;
    step(u, v, nx, ny, nz);
    u = v;
    v = other;
  }
  grid.width = nz;
  grid.height = nx * ny;
  for (int t = 0; t < steps; t++) {
    for (int y = 1; y < grid.height - 1; y++)
      for (int x = 1; x < grid.width - 1; x++)
        v[y * grid.width + x] = 0.5 * u[y * grid.width + x] + 0.125 * neighbours(u, x, y);
    double *w = u;
    u = v;
    v = w;
  }
  for (int i = 0; i < cells; i++)
    sum += u[i] * (i % 17 + 1);
  printf("%.17g\n", sum);
  free(u);
  free(v);
  return 0;
}
