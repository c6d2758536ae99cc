#include <stdio.h>
#include <stdlib.h>

struct grid {
  int n;
  float *now, *next;
};

static void step(struct grid *g)
{
  int n = g->n;
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      g->next[i * n + j] = 0.25f * (g->now[(i - 1) * n + j] + g->now[(i + 1) * n + j]
                                    + g->now[i * n + j - 1] + g->now[i * n + j + 1]);
}

static void swap(struct grid *g)
{
  float *tmp = g->now;
  g->now = g->next;
  g->next = tmp;
}

int main(void)
{
  struct grid g = {300, calloc(300 * 300, sizeof(float)), calloc(300 * 300, sizeof(float))};
  g.now[150 * 300 + 150] = 1000.0f;
  for (int t = 0; t < 200; t++) {
    step(&g);
    swap(&g);
  }
  printf("%.9g\n", g.now[150 * 300 + 150]);
}
