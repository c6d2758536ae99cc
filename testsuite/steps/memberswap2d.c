/* memberswap2d: Planes in a struct, which one function sweeps over and another swaps.
 * hexcc-test: args=N,M,T run=1,1,3;2,9,1;3,3,2;5,17,5;9,9,0;64,70,7;130,65,8;33,200,13
 */
#include <stdio.h>
#include <stdlib.h>

static void fill(void *data, size_t size)
{
  static unsigned state = 1;
  float *x = (float *)data;

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

struct grid {
  int n, m;
  float *now, *next;
};

#define AT(g, plane, i, j) (g)->plane[(i) * (g)->m + (j)]

static void sweep(struct grid *g)
{
  for (int i = 1; i < g->n - 1; i++)
    for (int j = 1; j < g->m - 1; j++)
      AT(g, next, i, j) = 0.5f * AT(g, now, i, j)
        + 0.125f * (AT(g, now, i - 1, j) + AT(g, now, i + 1, j) + AT(g, now, i, j - 1) + AT(g, now, i, j + 1));
}

static void turn(struct grid *g)
{
  float *old = g->now;

  g->now = g->next;
  g->next = old;
}

static void step(struct grid *g)
{
  sweep(g);
  turn(g);
}

int main(int argc, char **argv)
{
  struct grid grid;
  int T = argc > 3 ? atoi(argv[3]) : 5;

  grid.n = argc > 1 ? atoi(argv[1]) : 32;
  grid.m = argc > 2 ? atoi(argv[2]) : 32;
  size_t size = sizeof(float) * grid.n * grid.m;
  grid.now = malloc(size);
  grid.next = malloc(size);
  fill(grid.now, size);
  fill(grid.next, size);
  for (int t = 0; t < T; t++)
    step(&grid);
  add_to_hash(grid.now, size);
  add_to_hash(grid.next, size);
  printf("%016llx\n", hash);
  free(grid.now);
  free(grid.next);
  return 0;
}
