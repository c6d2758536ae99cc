/* rowmembers2d: Rows that a struct leads to, in blocks large enough to be shared, and planes of constant size in a table.
 * hexcc-test: args=m,n,T run=2,2,1;5,4,3;130,140,4 warns=HX0107
 */
#include <stdio.h>
#include <stdlib.h>

struct sea {
  int m, n;
  float weight;
  double **height, **flux;
  long (*count[9])[5];
};

static double **allocate(int m, int n)
{
  double **a = malloc(m * sizeof(*a));

  a[0] = calloc((size_t)m * n, sizeof(double));
  for (int i = 1; i < m; i++)
    a[i] = a[0] + (size_t)i * n;
  return a;
}

static void step(struct sea *s, int t)
{
  for (int i = 1; i < s->m; i++)
    for (int j = 1; j < s->n; j++)
      s->flux[i][j] = s->weight * (s->height[i][j] - s->height[i-1][j-1]);
  for (int i = 0; i < s->m; i++)
    for (int j = 0; j < s->n; j++)
      s->height[i][j] -= 0.25 * s->flux[i][j];
  for (int i = 0; i < 9; i++)
    for (int j = 0; j < 4; j++)
      for (int k = 1; k < 5; k++)
        s->count[i][j][k] += t + i * j;
}

int main(int argc, char **argv)
{
  struct sea sea = {argc > 1 ? atoi(argv[1]) : 130, argc > 2 ? atoi(argv[2]) : 140, 0.5f, NULL, NULL, {NULL}};
  int T = argc > 3 ? atoi(argv[3]) : 4;
  double sum = 0;
  long all = 0;

  sea.height = allocate(sea.m, sea.n);
  sea.flux = allocate(sea.m, sea.n);
  for (int i = 0; i < 9; i++)
    sea.count[i] = calloc(4, sizeof *sea.count[i]);
  for (int i = 0; i < sea.m; i++)
    for (int j = 0; j < sea.n; j++)
      sea.height[i][j] = (i * 31 + j * 17) % 101 * 0.01;
  for (int t = 0; t < T; t++) {
    step(&sea, t);
    printf("%d: %.17g\n", t, sea.height[sea.m/2][sea.n/2]);
  }
  for (int i = 0; i < sea.m; i++)
    for (int j = 0; j < sea.n; j++)
      sum += sea.height[i][j] * (i + 2 * j);
  for (int i = 0; i < 9; i++)
    for (int j = 0; j < 4; j++)
      for (int k = 0; k < 5; k++)
        all += sea.count[i][j][k] * (1 + k);
  printf("%.17g %ld\n", sum, all);
  return 0;
}
