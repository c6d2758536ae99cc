/* restricted2d: Numbers beside the planes in a struct: what a pointer with restrict points to is none of them, and they are the same in all steps.
 * hexcc-test: args=N,T run=40,45;33,60;12,5;3,1;2,9
 */
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  size_t nx, ny;
  double k, h, *u[2];
  int now;
} plate;

static int plate_new(plate *p, size_t nx, size_t ny)
{
  p->nx = nx;
  p->ny = ny;
  p->k = 0.01;
  p->h = 0.25;
  p->now = 0;
  for (int b = 0; b < 2; b++) {
    p->u[b] = malloc(nx * ny * sizeof(double));
    if (!p->u[b])
      return 0;
    for (size_t i = 0; i < nx * ny; i++)
      p->u[b][i] = i * 13 % 29 / 3.0;
  }
  return 1;
}

static void step(plate *p)
{
  const double *restrict u = p->u[p->now];
  double *restrict v = p->u[!p->now];
  const size_t nx = p->nx, ny = p->ny;
  const double c = p->k / (p->h * p->h);

  for (size_t i = 1; i < nx - 1; i++)
    for (size_t j = 1; j < ny - 1; j++)
      v[i * ny + j] = u[i * ny + j] + c * (u[(i - 1) * ny + j] + u[(i + 1) * ny + j] + u[i * ny + j - 1] + u[i * ny + j + 1] - 4 * u[i * ny + j]);
  p->now = !p->now;
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 40, steps = argc > 2 ? atoi(argv[2]) : 45;
  unsigned long long hash = 0;
  plate p;

  if (!plate_new(&p, n, n + 3))
    return 1;
  for (int t = 0; t < steps; t++) /* the time loop */
    step(&p);
  for (size_t i = 0; i < p.nx * p.ny; i++)
    hash = hash * 31 + (unsigned long long)(p.u[p.now][i] * 1e9);
  printf("%llx\n", hash);
  free(p.u[0]);
  free(p.u[1]);
  return 0;
}
