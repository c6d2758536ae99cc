/* Jacobi with flat arrays whose size has a variable of its own, in which the result is copied back. */
#include <stdio.h>
#include <stdlib.h>

static void solve(double *u, double *v, int nx, int ny, int steps)
{
  const int size = nx * ny;
  int i, j;

  for (int n = 0; n < steps; n++) {
    for (i = 1; i < nx - 1; i++)
      for (j = 1; j < ny - 1; j++)
        v[i * ny + j] = 0.25 * (u[(i - 1) * ny + j] + u[(i + 1) * ny + j] + u[i * ny + j - 1] + u[i * ny + j + 1]);
    for (i = 0; i < size; i++)
      u[i] = v[i];
  }
}

int main(int argc, char **argv)
{
  int nx = argc > 1 ? atoi(argv[1]) : 47;
  int ny = argc > 2 ? atoi(argv[2]) : 62;
  double *u = malloc(sizeof(double) * nx * ny), *v = malloc(sizeof(double) * nx * ny);
  double sum = 0;

  for (int i = 0; i < nx * ny; i++)
    u[i] = v[i] = i < ny ? 1.0 : (double)(i * 7 % 13) * 0.01;
  solve(u, v, nx, ny, 40);
  for (int i = 0; i < nx * ny; i++)
    sum += u[i] * (i % 11);
  printf("%.15g\n", sum);
  free(u);
  free(v);
  return 0;
}
