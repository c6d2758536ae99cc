/* gridset2d: Grids in structs with sizes and a number, swapped by pointers, with functions that read and store a cell, one of them under a condition.
 * hexcc-test: args=N,M,T run=3,4,2;20,31,3;65,50,12;130,70,9
 */
#include <stdio.h>
#include <stdlib.h>

typedef struct
{
  int nx, ny;
  double dx;
  double *data;
} Grid;

static inline int at(const Grid *g, int i, int j)
{
  return i * (g->ny + 2) + j;
}

static inline double get(const Grid *g, int i, int j)
{
  return g->data[at(g, i, j)];
}

static inline void set(Grid *g, int i, int j, double v)
{
  const int k = at(g, i, j);
  g->data[k] = v;
}

static void set_inside(Grid *g, int i, int j, double v)
{
  if (i > 1 && j < g->ny)
    g->data[at(g, i, j)] = v;
}

static Grid new_grid(int nx, int ny)
{
  Grid g = {nx, ny, 0.5, malloc(sizeof(double) * (nx + 2) * (ny + 2))};
  if (!g.data)
    exit(1);
  for (int i = 0; i < nx + 2; i++)
    for (int j = 0; j < ny + 2; j++)
      set(&g, i, j, (i * 7 + j * 3) % 11 - 0.25 * i);
  return g;
}

static void step(const Grid *in, Grid *out, double k)
{
  for (int i = 1; i <= in->nx; i++)
    for (int j = 1; j <= in->ny; j++) {
      double around = get(in, i - 1, j) + get(in, i + 1, j) + get(in, i, j - 1) + get(in, i, j + 1);
      set(out, i, j, get(in, i, j) + k * in->dx * (around - 4 * get(in, i, j)));
    }
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 65, m = argc > 2 ? atoi(argv[2]) : 50, steps = argc > 3 ? atoi(argv[3]) : 12;
  Grid a = new_grid(n, m), b = new_grid(n, m), *now = &a, *next = &b;
  double sum = 0;

  set(now, 1, 2, 5);
  for (int t = 0; t < steps; t++) {
    step(now, next, 0.125);
    Grid *held = now;
    now = next;
    next = held;
  }
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= m; j++)
      set_inside(next, i, j, 2 * get(now, i, j));
  for (int i = 0; i < n + 2; i++)
    for (int j = 0; j < m + 2; j++)
      sum += get(now, i, j) * (i + 2 * j) + get(next, i, j) * (i % 7);
  printf("%.17g %.17g\n", sum, get(now, n / 2, m / 2));
  free(a.data);
  free(b.data);
  return 0;
}
