/* members2d: Sizes, numbers and arrays that are members of structs, by value, through a pointer and through macros.
 * hexcc-test: args=N,T run=2,0;3,2;40,5;65,9 warns=HX0107
 */
#include <stdio.h>
#include <stdlib.h>

typedef double real;
typedef struct {
  int rows, columns, unused;
  real weight;
  real *u, *next;
  float shade[70][90];
} Grid;

struct options {
  int steps;
  struct { unsigned every; real scale; } print;
};

#define RowsOf(G) G->rows
#define Columns g->columns
#define AtG(G, a, i, j) G->a[(i) * Columns + (j)]
#define U(i, j) AtG(g, u, i, j)
#define Next(i, j) AtG(g, next, i, j)

static void step(const Grid *g)
{
  int i, j;

  for (i = 1; i < RowsOf(g) - 1; i++)
    for (j = 1; j < Columns - 1; j++)
      Next(i, j) = g->weight * (U(i-1, j) + U(i+1, j)) + (0.5 - g->weight) * (U(i, j-1) + U(i, j -1+2));
}

static void shine(Grid *g, struct options o)
{
  for (int i = 0; i < 70; i++)
    for (int j = 0; j < 90; j++)
      g->shade[i][j] = 0.5f * g->shade[i][j] + o.print.scale * i;
}

static Grid make(int n)
{
  Grid grid = { n, n + 3, 0, 0.3, NULL, NULL, {{0}} };

  grid.u = malloc(n * grid.columns * sizeof(real));
  grid.next = malloc(n * grid.columns * sizeof(real));
  for (int i = 0; i < grid.rows; i++)
    for (int j = 0; j < grid.columns; j++)
      grid.u[i * grid.columns + j] = grid.next[i * grid.columns + j] = (i * 31 + j * 17) % 101 * 0.01;
  return grid;
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 65;
  struct options o = { argc > 2 ? atoi(argv[2]) : 9, { 2, 0.25 } };
  Grid grid = make(n), *g = &grid;

  for (int t = 0; t < o.steps; t++) {
    real *old = g->u;

    step(g);
    shine(g, o);
    g->u = g->next;
    g->next = old;
    if (t % o.print.every == 0)
      printf("%d %.17g %.9g\n", t, U(n / 2, n / 2), grid.shade[69][t]);
  }
  for (int i = 0; i < grid.rows * grid.columns; i++)
    if (i % 7 == 0) printf("%.17g\n", grid.u[i]);
  free(grid.u);
  free(grid.next);
  return 0;
}
