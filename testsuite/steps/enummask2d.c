/* enummask2d: What cells are is an array of an enumeration: walls and inlets go on to the next cell, others count the neighbours
 * that are no walls, by ++.
 * hexcc-test: args=T run=0;1;2;7;20
 */
#include <stdio.h>
#include <stdlib.h>

#define NX 45
#define NY 70

enum kind { FLUID, WALL, INLET };

static enum kind kinds[NX][NY];
static double q[NX][NY], r[NX][NY];

int main(int argc, char **argv)
{
  int steps = argc > 1 ? atoi(argv[1]) : 20;
  double sum = 0;

  for (int i = 0; i < NX; i++)
    for (int j = 0; j < NY; j++) {
      kinds[i][j] = i == 0 ? INLET : i * j % 17 == 3 || j == 0 || j == NY - 1 || i == NX - 1 ? WALL : FLUID;
      q[i][j] = (i * 7 + j * 3) % 11;
    }
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < NX - 1; i++)
      for (int j = 1; j < NY - 1; j++) {
        if (kinds[i][j] == WALL) {
          r[i][j] = 0;
          continue;
        }
        if (kinds[i][j] == INLET) {
          r[i][j] = 1;
          continue;
        }
        double around = 0;
        int n = 0;
        if (kinds[i + 1][j] != WALL) {
          around += q[i + 1][j];
          n++;
        }
        if (kinds[i - 1][j] != WALL) {
          around += q[i - 1][j];
          ++n;
        }
        if (kinds[i][j + 1] != WALL) {
          around += q[i][j + 1];
          n += 1;
        }
        if (kinds[i][j - 1] != WALL) {
          around += q[i][j - 1];
          n++;
        }
        r[i][j] = n ? around / n : q[i][j];
      }
    for (int i = 0; i < NX; i++)
      for (int j = 0; j < NY; j++)
        q[i][j] = r[i][j];
  }
  for (int i = 0; i < NX; i++)
    for (int j = 0; j < NY; j++)
      sum += q[i][j] * (i + 2 * j);
  printf("%.17g\n", sum);
  return 0;
}
