/* maskedring2d: A torus with a power of two of rows and columns, which go around by masks.
 * hexcc-test: args=T run=0;1;7;40
 */
#include <stdio.h>
#include <stdlib.h>

#define LENGTH 64
#define MASK (LENGTH - 1)

static float u[LENGTH][LENGTH], v[LENGTH][LENGTH];

int main(int argc, char **argv)
{
  int steps = argc > 1 ? atoi(argv[1]) : 40;
  double sum = 0;

  for (int i = 0; i < LENGTH; i++)
    for (int j = 0; j < LENGTH; j++)
      u[i][j] = (i * 7 + j * 3) % 11;
  for (int t = 0; t < steps; t++) {
    for (int i = 0; i < LENGTH; i++)
      for (int j = 0; j < LENGTH; j++)
        v[i][j] = 0.25f * (u[(i + 1) & (LENGTH - 1)][j] + u[(i - 1) & (LENGTH - 1)][j] + u[i][(j + 1) & MASK] + u[i][(j - 1) & MASK]);
    for (int i = 0; i < LENGTH; i++)
      for (int j = 0; j < LENGTH; j++)
        u[i][j] = v[i][j];
  }
  for (int i = 0; i < LENGTH; i++)
    for (int j = 0; j < LENGTH; j++)
      sum += u[i][j] * (1 + (i * 5 + j) % 13) + v[i][j] * ((i + j * 3) % 17);
  printf("%.17g\n", sum);
  return 0;
}
