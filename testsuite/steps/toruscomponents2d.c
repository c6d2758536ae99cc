/* toruscomponents2d: Planes of two or three components on a torus, by ghost cells that each step copies and by remainders.
 * hexcc-test: args=N,M,T run=3,3,4;13,18,7;17,33,5;9,64,3;30,40,1;64,50,12
 */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 40, m = argc > 2 ? atoi(argv[2]) : 50, steps = argc > 3 ? atoi(argv[3]) : 9;
  double (*f)[n][m] = malloc(2 * sizeof *f), (*g)[n][m] = malloc(2 * sizeof *g);
  float (*u)[n][m] = malloc(3 * sizeof *u), (*v)[n][m] = malloc(3 * sizeof *v);
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++) {
        if (k < 2)
          f[k][i][j] = g[k][i][j] = (i * 7 + j * 3 + k) % 11;
        u[k][i][j] = v[k][i][j] = (i * 5 + j + k) % 13;
      }
  for (int t = 0; t < steps; t++) {
    for (int k = 0; k < 2; k++) {
      for (int j = 1; j < m - 1; j++) {
        f[k][0][j] = f[k][n - 2][j];
        f[k][n - 1][j] = f[k][1][j];
      }
      for (int i = 0; i < n; i++) {
        f[k][i][0] = f[k][i][m - 2];
        f[k][i][m - 1] = f[k][i][1];
      }
    }
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++) {
        g[0][i][j] = 0.5 * f[0][i][j] + 0.1 * f[0][i - 1][j] - 0.05 * f[1][i][j];
        g[1][i][j] = 0.5 * f[1][i][j] + 0.1 * (f[1][i - 1][j] + f[1][i + 1][j + 1]) + 0.05 * f[0][i - 1][j - 1];
      }
    double (*h)[n][m] = f;
    f = g;
    g = h;
  }
  for (int t = 0; t < steps; t++) {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++) {
        v[0][i][j] = 0.5f * u[0][i][j] + 0.1f * u[1][(i + n - 1) % n][j];
        v[1][i][j] = 0.5f * u[1][i][j] + 0.1f * u[2][i][(j + 1) % m];
        v[2][i][j] = 0.5f * u[2][i][j] + 0.1f * u[0][(i + 1) % n][(j + m - 1) % m];
      }
    float (*h)[n][m] = u;
    u = v;
    v = h;
  }
  for (int c = 0; c < 2 * n * m; c++)
    printf("%a %a\n", f[0][0][c], g[0][0][c]);
  for (int c = 0; c < 3 * n * m; c++)
    printf("%a %a\n", u[0][0][c], v[0][0][c]);
  return 0;
}
