/* flatlattice2d: Five numbers in each cell of a flat array, written out, with wrap-around; a table of weights.
 * hexcc-test: args=N,M,T run=1,1,1;3,2,2;4,3,5;9,5,3;40,33,4 warns=HX0204
 */
#include <stdio.h>
#include <stdlib.h>

static void flatlattice2d(int nx, int ny, int T, double *f, double *g)
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int y = 0; y < ny; y++)
      for (int x = 0; x < nx; x++) {
        double c = f[(y*nx + x)*5], e = f[(y*nx + x)*5 + 1], n = f[(y*nx + x)*5 + 2];
        double w = f[(y*nx + x)*5 + 3], s = f[(y*nx + x)*5 + 4];
        double rho = c + e + n + w + s;
        g[(y*nx + x)*5 + 0] = c + 0.5 * (rho / 3 - c);
        g[(y*nx + x)*5 + 1] = e + 0.5 * (rho / 6 - e);
        g[(y*nx + x)*5 + 2] = n + 0.5 * (rho / 6 - n);
        g[(y*nx + x)*5 + 3] = w + 0.5 * (rho / 6 - w);
        g[(y*nx + x)*5 + 4] = s + 0.5 * (rho / 6 - s);
      }
    for (int y = 0; y < ny; y++)
      for (int x = 0; x < nx; x++) {
        f[5*(y*nx + x)] = g[5*(y*nx + x)];
        f[5*(y*nx + x) + 1] = g[(y*nx + (x + nx - 1) % nx)*5 + 1];
        f[5*(y*nx + x) + 2] = g[(((y + 1) % ny)*nx + x)*5 + 2];
        f[5*(y*nx + x) + 3] = g[(y*nx + (x + 1 < nx ? x + 1 : 0))*5 + 3];
        f[5*(y*nx + x) + 4] = g[((y > 0 ? y - 1 : ny - 1)*nx + x)*5 + 4];
      }
  }
#pragma endscop
}

int main(int argc, char **argv)
{
  int nx = argc > 1 ? atoi(argv[1]) : 200;
  int ny = argc > 2 ? atoi(argv[2]) : 300;
  int T = argc > 3 ? atoi(argv[3]) : 20;
  double *f = malloc(sizeof(double) * nx * ny * 5), *g = malloc(sizeof(double) * nx * ny * 5);
  unsigned long long hash = 14695981039346656037ull;
  unsigned state = 1;

  for (int i = 0; i < nx * ny * 5; i++) {
    state = state * 1664525u + 1013904223u;
    f[i] = (state >> 8) / 16777216.0;
    g[i] = 0;
  }
  flatlattice2d(nx, ny, T, f, g);
  for (size_t i = 0; i < sizeof(double) * nx * ny * 5; i++)
    hash = (hash ^ ((unsigned char *)f)[i]) * 1099511628211ull;
  printf("%016llx\n", hash);
  free(f);
  free(g);
  return 0;
}
