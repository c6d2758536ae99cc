/* planeloops2d: Loops over the planes of arrays that are swapped, around the nest and in the code of a cell, where each plane reads
 * another one; flat planes, too.
 * hexcc-test: args=N,M,T run=40,50,12;17,33,5;9,64,3;3,3,4;30,40,0;64,20,7
 */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
  int n = atoi(argv[1]), m = atoi(argv[2]), steps = atoi(argv[3]);
  float (*f)[n][m] = malloc(3 * sizeof *f), (*g)[n][m] = malloc(3 * sizeof *g);
  float *u = malloc(3 * n * m * sizeof *u), *v = malloc(3 * n * m * sizeof *v);
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++) {
        f[k][i][j] = g[k][i][j] = (i * 7 + j * 3 + k) % 11;
        u[(k * n + i) * m + j] = v[(k * n + i) * m + j] = (i * 5 + j + k) % 13;
      }
  for (int t = 0; t < steps; t++) {
    for (int k = 0; k < 3; k++)
      for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
          g[k][i][j] = 0.25f * (f[k][i - 1][j] + f[k][i + 1][j] + f[k][i][j - 1] + f[k][i][j + 1]) - 0.01f * f[(k + 1) % 3][i][j];
    float (*h)[n][m] = f;
    f = g;
    g = h;
  }
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++) {
        float all = 0;
        for (int k = 0; k < 3; k++)
          all += u[(k * n + i) * m + j];
        for (int k = 0; k < 3; k++)
          v[(k * n + i) * m + j] = 0.25f * (u[(k * n + i - 1) * m + j] + u[(k * n + i + 1) * m + j] + u[(k * n + i) * m + j - 1]
              + u[(k * n + i) * m + j + 1]) - 0.01f * all;
      }
    float *h = u;
    u = v;
    v = h;
  }
  for (int c = 0; c < 3 * n * m; c++)
    printf("%a %a\n", ((float *)f)[c], u[c]);
  return 0;
}
