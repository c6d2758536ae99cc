/* flatheat3d: Flat arrays of three dimensions, whose subscripts are written in two ways.
 * hexcc-test: args=nz,ny,nx,T run=1,1,1,2;3,3,3,5;3,4,5,1;7,5,9,3;8,8,8,0;12,9,16,7;16,20,13,8;19,9,24,9 tile=h=1,w=1:4:8;h=3,w=2:3:6
 */
#include <stdio.h>
#include <stdlib.h>

static void flatheat3d(int nz, int ny, int nx, int T, double *u, double *v)
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int k = 1; k < nz - 1; k++)
      for (int j = 1; j < ny - 1; j++)
        for (int i = 1; i < nx - 1; i++)
          v[(k*ny+j)*nx+i] = 0.4 * u[(k*ny+j)*nx+i]
                             + 0.1 * (u[((k-1)*ny+j)*nx+i] + u[((k+1)*ny+j)*nx+i]
                                      + u[(k*ny+j-1)*nx+i] + u[(k*ny+(j+1))*nx+i]
                                      + u[(k*ny+j)*nx+i-1] + u[(k*ny+j)*nx+i+1]);
    for (int k = 1; k < nz - 1; k++)
      for (int j = 1; j < ny - 1; j++)
        for (int i = 1; i < nx - 1; i++)
          u[k*nx*ny + nx*j + i] = v[i + nx*(j + ny*k)];
  }
#pragma endscop
}

static void fill(void *data, size_t size)
{
  static unsigned state = 1;
  double *x = (double *)data;

  for (size_t i = 0; i < size / sizeof *x; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = ((state >> 8) | 1) / 16777216.0f;
  }
}

static unsigned long long hash = 14695981039346656037ull;

static void add_to_hash(const void *data, size_t size)
{
  const unsigned char *byte = (const unsigned char *)data;

  for (size_t i = 0; i < size; i++)
    hash = (hash ^ byte[i]) * 1099511628211ull;
}

int main(int argc, char **argv)
{
  int nz = argc > 1 ? atoi(argv[1]) : 32;
  int ny = argc > 2 ? atoi(argv[2]) : 40;
  int nx = argc > 3 ? atoi(argv[3]) : 48;
  int T = argc > 4 ? atoi(argv[4]) : 10;
  size_t u_size = sizeof(double) * nz * ny * nx;
  size_t v_size = sizeof(double) * nz * ny * nx;
  double *u = (double *)malloc(u_size);
  double *v = (double *)malloc(v_size);

  fill(u, u_size);
  fill(v, v_size);
  flatheat3d(nz, ny, nx, T, u, v);
  add_to_hash(u, u_size);
  add_to_hash(v, v_size);
  printf("%016llx\n", hash);
  free(u);
  free(v);
  return 0;
}
