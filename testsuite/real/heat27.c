/* 27 points in 3D, written out through a macro, pointers to rows swapped in a struct of two. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NXY (nx * ny)
#define P(i, j, k) (old[(k) * NXY + (j) * nx + (i)])

static void step27(float *new, const float *old, int nx, int ny, int nz)
{
  const float c0 = 0.5f, c1 = 0.04f, c2 = 0.012f, c3 = 0.0145f;
  int i, j, k;

  for (k = 1; k < nz - 1; k++)
    for (j = 1; j < ny - 1; j++)
      for (i = 1; i < nx - 1; i++)
        new[k * NXY + j * nx + i] = c0 * P(i, j, k)
          + c1 * (P(i-1,j,k) + P(i+1,j,k) + P(i,j-1,k) + P(i,j+1,k) + P(i,j,k-1) + P(i,j,k+1))
          + c2 * (P(i-1,j-1,k) + P(i+1,j-1,k) + P(i-1,j+1,k) + P(i+1,j+1,k)
                + P(i-1,j,k-1) + P(i+1,j,k-1) + P(i-1,j,k+1) + P(i+1,j,k+1)
                + P(i,j-1,k-1) + P(i,j+1,k-1) + P(i,j-1,k+1) + P(i,j+1,k+1))
          + c3 * (P(i-1,j-1,k-1) + P(i+1,j-1,k-1) + P(i-1,j+1,k-1) + P(i+1,j+1,k-1)
                + P(i-1,j-1,k+1) + P(i+1,j-1,k+1) + P(i-1,j+1,k+1) + P(i+1,j+1,k+1));
}

int main(int argc, char **argv)
{
  int nx = 28, ny = 24, nz = 20, nt = 16;
  float *grid[2];
  size_t n;

  if (argc == 5) {
    nx = atoi(argv[1]);
    ny = atoi(argv[2]);
    nz = atoi(argv[3]);
    nt = atoi(argv[4]);
  }
  n = (size_t)nx * ny * nz;
  grid[0] = malloc(n * sizeof(float));
  grid[1] = malloc(n * sizeof(float));
  if (!grid[0] || !grid[1]) {
    fprintf(stderr, "malloc of %zu floats\n", n);
    return 1;
  }
  for (size_t p = 0; p < n; p++)
    grid[0][p] = (float)(p % 97) / 97.0f;
  memcpy(grid[1], grid[0], n * sizeof(float));

  for (int t = 0; t < nt; t++)
    step27(grid[(t + 1) % 2], grid[t % 2], nx, ny, nz);

  double sum = 0.0;
  for (size_t p = 0; p < n; p++)
    sum += grid[nt % 2][p];
  printf("%.10f %.8f\n", sum, grid[nt % 2][n / 2]);
  free(grid[0]);
  free(grid[1]);
  return 0;
}
