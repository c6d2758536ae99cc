/* gridmacros2d: Grids with sizes of type size_t, whose cells macros reach by the address of the struct; walls count down, planes are swapped as members.
 * hexcc-test: args=N,M,T run=3,4,2;20,31,3;65,50,12;130,70,9
 */
#include <stdio.h>
#include <stdlib.h>

struct grid
{
  size_t nx, ny;
  double *cells;
};

#define GET(g, i, j) ((g)->cells[(i) * ((g)->ny + 2) + (j)])
#define SET(g, i, j, value) ((g)->cells[(i) * ((g)->ny + 2) + (j)] = (value))

static void fill(struct grid *g)
{
  g->cells = malloc(sizeof(double) * (g->nx + 2) * (g->ny + 2));
  if (!g->cells)
    exit(1);
  for (size_t k = 0; k < (g->nx + 2) * (g->ny + 2); k++)
    g->cells[k] = (double)(k * 7 % 11);
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 65, m = argc > 2 ? atoi(argv[2]) : 50, steps = argc > 3 ? atoi(argv[3]) : 12;
  struct grid a = {(size_t)n, (size_t)m, NULL}, b = a;
  double sum = 0;

  fill(&a);
  fill(&b);
  for (int t = 0; t < steps; t++) {
    for (size_t i = 1; i <= a.nx; i++)
      for (size_t j = 1; j <= a.ny; j++)
        (&b)->cells[i * (a.ny + 2) + j] =
            0.25 * (GET(&a, i - 1, j) + GET(&a, i + 1, j) + GET(&a, i, j - 1) + GET(&a, i, j + 1));
    double *held = a.cells;
    a.cells = b.cells;
    b.cells = held;
  }
  for (int t = 0; t < steps; t++) {
    for (int j = m; j--;) {
      SET(&a, 0, j, 0.5);
      SET(&a, n + 1, j, 0.25);
    }
    for (int i = 1; i <= n; i++)
      for (int j = 1; j <= m; j++)
        SET(&b, i, j, 0.5 * (GET(&a, i - 1, j) + GET(&a, i + 1, j)));
    for (int i = 1; i <= n; i++)
      for (int j = 1; j <= m; j++)
        SET(&a, i, j, GET(&b, i, j));
  }
  for (int i = 0; i < n + 2; i++)
    for (int j = 0; j < m + 2; j++)
      sum += GET(&a, i, j) * (i + 2 * j) + GET(&b, i, j) * (i % 7);
  printf("%.17g\n", sum);
  free(a.cells);
  free(b.cells);
  return 0;
}
