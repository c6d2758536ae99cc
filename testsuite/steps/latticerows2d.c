/* latticerows2d: Lattice Boltzmann in a function of arrays of variable length, with tables of velocities and loops over the planes.
 * hexcc-test: args=N,M,T run=40,50,6;17,33,5;9,64,3;3,3,4;30,40,0;5,2,1
 */
#include <stdio.h>
#include <stdlib.h>

static const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const float w[9] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};

static void collide(int n, int m, float f[9][n][m], float next[9][n][m])
{
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++) {
      float in[9], rho = 0, u = 0, v = 0;
      for (int k = 0; k < 9; k++) {
        in[k] = f[k][i - cy[k]][j - cx[k]];
        rho += in[k];
        u += cx[k] * in[k];
        v += cy[k] * in[k];
      }
      u /= rho;
      v /= rho;
      for (int k = 0; k < 9; k++) {
        float cu = 3 * (cx[k] * u + cy[k] * v);
        next[k][i][j] = in[k] + 0.6f * (w[k] * rho * (1 + cu + cu * cu / 2 - 1.5f * (u * u + v * v)) - in[k]);
      }
    }
}

int main(int argc, char **argv)
{
  int n = atoi(argv[1]), m = atoi(argv[2]), steps = atoi(argv[3]);
  float (*f)[n][m] = malloc(9 * sizeof *f), (*g)[n][m] = malloc(9 * sizeof *g);
  for (int k = 0; k < 9; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++)
        f[k][i][j] = g[k][i][j] = w[k] * (1 + 0.1f * ((i * 7 + j * 3) % 11));
  for (int t = 0; t < steps; t++) {
    collide(n, m, f, g);
    collide(n, m, g, f);
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < 9; k++)
        printf("%a\n", f[k][i][j]);
  return 0;
}
