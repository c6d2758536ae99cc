/* flatsource2d: A wave on flat arrays that are rotated, with sources at cells that are given by their numbers: one of the
 * main program's, one that a function is given, one beside it; the row and the column are known at run time only.
 * hexcc-test: args=N,M,AT,T run=40,50,1033,20;17,33,0,9;9,64,575,5;64,20,1279,7;5,7,17,4;3,3,4,6;30,40,-1,6;30,40,617,0
 */
#include <stdio.h>
#include <stdlib.h>

static void step(int n, int m, int source, float rate, const float *before, const float *now, float *after)
{
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++)
      after[i * m + j] = 2 * now[i * m + j] - before[i * m + j]
          + rate * (now[(i - 1) * m + j] + now[(i + 1) * m + j] + now[i * m + j - 1] + now[i * m + j + 1] - 4 * now[i * m + j]);
  after[source + m - 1] -= 0.5f;
}

int main(int argc, char **argv)
{
  int n = atoi(argv[1]), m = atoi(argv[2]), at = atoi(argv[3]), steps = atoi(argv[4]);
  int source = at >= 0 && at + m <= n * m ? at : n / 2 * m + m / 6 - m;
  float *amplitude = malloc((steps + 1) * sizeof *amplitude);
  float *before = malloc(n * m * sizeof *before), *now = malloc(n * m * sizeof *now), *after = malloc(n * m * sizeof *after);
  for (int c = 0; c < n * m; c++) {
    before[c] = now[c] = (c * 7 + 3) % 11 / 11.0f;
    after[c] = 0;
  }
  for (int t = 0; t < steps; t++)
    amplitude[t] = 1.0f / (1 + t);
  for (int t = 0; t < steps; t++) {
    step(n, m, source, 0.1f, before, now, after);
    after[source] += amplitude[t];
    float *swap = before;
    before = now;
    now = after;
    after = swap;
  }
  for (int c = 0; c < n * m; c++)
    printf("%a %a\n", before[c], now[c]);
  return 0;
}
