/* upwind2d: A tracer that the wind carries, until it has spread: nests with conditions on data in a loop that stays on
 * the host.
 * hexcc-test: args=T run=0;1;7;20 warns=HX0105 flags=--sums,ordered
 */
#include <stdio.h>
#include <stdlib.h>

#define NX 60
#define NY 130
#define DRY(i, j) (depth[i][j] < MIN_DEPTH)
#define MIN_DEPTH 0.25

static double c[NX][NY], next[NX][NY], depth[NX][NY];
static float u[NX][NY], v[NX][NY];
static int wet[NX][NY];

static void step(double dt)
{
  double left, right, below, above;
  int i, j;

  for (i = 1; i < NX - 1; i++)
    for (j = 1; j < NY - 1; j++) {
      if (u[i][j] > 0) {
        left = c[i-1][j];
        right = c[i][j];
      } else {
        left = c[i][j];
        right = c[i+1][j];
      }
      if (v[i][j] > 0.0f)
        below = c[i][j-1], above = c[i][j];
      else
        below = c[i][j], above = c[i][j+1];
      next[i][j] = c[i][j] - dt * (u[i][j] * (right - left) + v[i][j] * (above - below));
      if (DRY(i, j))
        next[i][j] = 0.0;
      else if (next[i][j] < 0) {
        next[i][j] = 0.0;
        wet[i][j]++;
      }
    }
}

static void settle(void)
{
  for (int i = 0; i < NX; i++)
    for (int j = 0; j < NY; j++) {
      if (i == 0 || j == 0 || i == NX - 1 || j == NY - 1)
        continue;
      c[i][j] = next[i][j];
    }
  for (int i = 0; i < NX; i++)
    for (int j = 0; j < NY; j++)
      if (wet[i][j] > 2 && !DRY(i, j)) {
        for (int k = 0; k < 2; k++) {
          depth[i][j] *= 0.5;
          if (depth[i][j] > 1.0)
            depth[i][j] = 1.0;
        }
        wet[i][j] = 0.9 + depth[i][j];
      }
}

int main(int argc, char **argv)
{
  int steps = argc > 1 ? atoi(argv[1]) : 20;
  double most = 1.0;

  for (int i = 0; i < NX; i++)
    for (int j = 0; j < NY; j++) {
      c[i][j] = next[i][j] = (i * 31 + j * 17) % 101 * 0.01;
      depth[i][j] = (i * 7 + j * 3) % 29 * 0.1;
      u[i][j] = (i * 5 + j) % 13 - 6;
      v[i][j] = (i + j * 11) % 7 - 3;
    }
  while (most > 0.2 && steps-- > 0) {
    step(0.04);
    settle();
    most = 0;
    for (int i = 0; i < NX; i++)
      for (int j = 0; j < NY; j++)
        most += c[i][j] / (NX * NY);
  }
  double sum = 0;
  for (int i = 0; i < NX; i++)
    for (int j = 0; j < NY; j++)
      sum += c[i][j] * (i + 2 * j) + depth[i][j] + wet[i][j];
  printf("%.17g %.17g\n", most, sum);
  return 0;
}
