/* twoloops2d: Two loops that print stay on the host; nests of both run, on members that macros reach.
 * hexcc-test: args=T run=0;1;4 warns=HX0107
 */
#include <stdio.h>
#include <stdlib.h>

struct grid {
  int n, m;
  double *u, *v;
};

#define AT(g, f, i, j) ((g)->f[(i) * (g)->m + (j)])

static void warm(struct grid *g)
{
  for (int i = 1; i < g->n - 1; i++)
    for (int j = 1; j < g->m - 1; j++)
      AT(g, u, i, j) += 0.125 * AT(g, v, i, j);
}

static void sweep(struct grid *g)
{
  for (int i = 1; i < g->n - 1; i++)
    for (int j = 1; j < g->m - 1; j++)
      AT(g, v, i, j) = 0.25 * (AT(g, u, i - 1, j) + AT(g, u, i + 1, j) + AT(g, u, i, j - 1) + AT(g, u, i, j + 1));
  for (int i = 1; i < g->n - 1; i++)
    for (int j = 1; j < g->m - 1; j++)
      AT(g, u, i, j) = AT(g, v, i, j);
}

static double total(const struct grid *g)
{
  double s = 0;

  for (int i = 0; i < g->n * g->m; i++)
    s = s * 0.999 + g->u[i];
  return s;
}

int main(int argc, char **argv)
{
  int T = argc > 1 ? atoi(argv[1]) : 4, n = 80, m = 95;
  struct grid grid = { n, m, malloc(n * m * sizeof(double)), calloc(n * m, sizeof(double)) }, *g = &grid;

  for (int i = 0; i < n * m; i++)
    g->u[i] = i * 13 % 29 * 0.125, g->v[i] = i % 7;
  for (int t = 0; t < 2 * T; t++) {
    warm(g);
    printf("warm %d %.9g\n", t, AT(g, u, 3, 4));
  }
  for (int t = 0; t < T; t++) {
    for (int s = 0; s < 3; s++) {
      sweep(g);
      printf("sweep %d\n", s);
    }
    printf("%d %.9g\n", t, total(g));
  }
  printf("%.12e\n", total(g));
  free(g->u), free(g->v);
  return 0;
}
