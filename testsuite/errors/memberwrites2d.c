/* memberwrites2d: A nest that counts in the member of a struct; the loop around it prints.
 * hexcc-test: expect=HX0105
 */
#include <stdio.h>

struct grid {
  int n, visited;
  double *u, *next;
};

void memberwrites2d(int T, struct grid *g)
{
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < g->n - 1; i++)  // here
      for (int j = 1; j < g->n - 1; j++) {
        g->next[i * g->n + j] = 0.25 * g->u[i * g->n + j];
        g->visited++;
      }
    printf("%d\n", g->visited);
  }
}
