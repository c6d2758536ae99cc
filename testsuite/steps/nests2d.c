/* nests2d: A time loop with prints, swapped pointers and functions that are called: its nests run in kernels.
 * hexcc-test: args=T run=0;1;7;20 warns=HX0107 flags=--sums,ordered
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NX 70
#define NY 150

static double grid[NX][NY], spare[NX][NY];

static void boundary(double g[NX][NY])
{
  int j;

  for (j = 0; j < NY; j++) {
    g[0][j] = g[1][j];
    g[NX-1][j] = g[NX-2][j];
  }
}

static void step(double from[NX][NY], double to[NX][NY])
{
  int i, j;

  for (i = 1; i < NX - 1; i++)
    for (j = 1; j < NY - 1; j++)
      to[i][j] = 0.25 * (from[i-1][j] + from[i+1][j] + from[i][j-1] + from[i][j+1]);
  boundary(to);
}

static double sum(double g[NX][NY])
{
  double s = 0;

  for (int i = 0; i < NX; i++)
    for (int j = 0; j < NY; j++)
      s += g[i][j];
  return s;
}

int main(int argc, char **argv)
{
  int steps = argc > 1 ? atoi(argv[1]) : 20;
  double (*a)[NY] = grid, (*b)[NY] = spare;
  clock_t begin = clock();

  for (int i = 0; i < NX; i++)
    for (int j = 0; j < NY; j++)
      grid[i][j] = spare[i][j] = (i * 31 + j * 17) % 101 * 0.01;
  for (int t = 0; t < steps; t++) {
    double (*old)[NY] = a;

    step(a, b);
    a = b;
    b = old;
    if (t % 5 == 0)
      printf("step %d: %.17g, %.17g in all\n", t, a[10][20], sum(a));
  }
  fprintf(stderr, "%f s\n", (double)(clock() - begin) / CLOCKS_PER_SEC);
  printf("%.17g\n", sum(a));
  return 0;
}
