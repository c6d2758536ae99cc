/* overlap2d: Nests between prints on arrays, one of the file, that share memory for some arguments: with --fallback their own loops run then.
 * hexcc-test: args=N,T,S run=3,2,0;5,3,4;9,4,0;17,5,40;33,3,1 warns=HX0107 flags=--fallback,--sums,ordered
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 64

static double grid[2 * MOST][MOST];
static double rate[MOST];

static void smooth(int n, const double (*from)[MOST], double (*to)[MOST])
{
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      to[i][j] = from[i][j] + rate[j] * (from[i - 1][j] + from[i + 1][j] - 2.0 * from[i][j]);
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 20, steps = argc > 2 ? atoi(argv[2]) : 4, shift = argc > 3 ? atoi(argv[3]) : 30;

  if (n > MOST || shift > MOST)
    return 1;
  for (int i = 0; i < 2 * MOST; i++)
    for (int j = 0; j < MOST; j++)
      grid[i][j] = (i * 17 + j * 5) % 23 * 0.125;
  for (int j = 0; j < MOST; j++)
    rate[j] = 0.25 / (1 + j % 3);
  for (int t = 0; t < steps; t++) {
    double sum = 0.0;

    smooth(n, (const double (*)[MOST])grid, grid + shift);
    memmove(grid, grid + shift, (size_t)n * sizeof grid[0]);
    for (int i = 0; i < 2 * MOST; i++)
      sum += grid[i][i % MOST];
    printf("%.17g\n", sum);
  }
  return 0;
}
