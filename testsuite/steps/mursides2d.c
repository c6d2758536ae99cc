/* mursides2d: Electromagnetic fields with absorbing walls by Mur: what lies beside the walls is kept before it changes, in rows
 * and columns of their own, and the far walls read theirs.
 * hexcc-test: args=T run=0;1;2;7;40
 */
#include <stdio.h>
#include <stdlib.h>

#define NX 131
#define NY 115

static float ez[NX][NY], hx[NX][NY], hy[NX][NY], left[NY], right[NY], below[NX], above[NX];

int main(int argc, char **argv)
{
  int steps = argc > 1 ? atoi(argv[1]) : 40;
  const float c = -0.25f;
  double sum = 0;

  for (int i = 0; i < NX; i++)
    for (int j = 0; j < NY; j++)
      ez[i][j] = (i * 37 + j * 11) % 23 * 0.125f;
  for (int t = 0; t < steps; t++) {
    for (int j = 0; j < NY; j++) {
      left[j] = ez[1][j];
      right[j] = ez[NX - 2][j];
    }
    for (int i = 0; i < NX; i++) {
      below[i] = ez[i][1];
      above[i] = ez[i][NY - 2];
    }
    for (int i = 1; i < NX - 1; i++)
      for (int j = 1; j < NY - 1; j++)
        ez[i][j] += 0.5f * (hy[i][j] - hy[i - 1][j] - hx[i][j] + hx[i][j - 1]);
    for (int j = 0; j < NY; j++) {
      ez[0][j] = left[j] + c * (ez[1][j] - ez[0][j]);
      ez[NX - 1][j] = right[j] + c * (ez[NX - 2][j] - ez[NX - 1][j]);
    }
    for (int i = 0; i < NX; i++) {
      ez[i][0] = below[i] + c * (ez[i][1] - ez[i][0]);
      ez[i][NY - 1] = above[i] + c * (ez[i][NY - 2] - ez[i][NY - 1]);
    }
    for (int i = 0; i < NX; i++)
      for (int j = 0; j < NY - 1; j++)
        hx[i][j] -= 0.5f * (ez[i][j + 1] - ez[i][j]);
    for (int i = 0; i < NX - 1; i++)
      for (int j = 0; j < NY; j++)
        hy[i][j] += 0.5f * (ez[i + 1][j] - ez[i][j]);
  }
  for (int i = 0; i < NX; i++)
    for (int j = 0; j < NY; j++)
      sum += ez[i][j] * (i - j) + hx[i][j] - hy[i][j];
  printf("%.17g\n", sum);
  return 0;
}
