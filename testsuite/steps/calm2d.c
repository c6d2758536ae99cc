/* calm2d: Steps until all cells are calm: a mark that begins at one, and is zero where one cell is not; and one that is combined by `&&`.
 * hexcc-test: args=N,T run=3,2;20,50;65,400;90,60
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 65, most = argc > 2 ? atoi(argv[2]) : 400;
  double (*u)[n] = malloc(sizeof(double[n][n])), (*v)[n] = malloc(sizeof(double[n][n])), sum = 0;
  int calm = 0, steps = 0;

  if (!u || !v)
    return 1;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      u[i][j] = v[i][j] = (i * 7 + j * 3) % 11;
  while (!calm && steps < most) {
    calm = 1;
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++) {
        v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
        double change = fabs(v[i][j] - u[i][j]);
        if (change > 1e-2) {
          calm = 0;
        }
      }
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        u[i][j] = v[i][j];
    steps++;
  }
  printf("%d steps\n", steps);
  calm = 0;
  for (steps = 0; steps < most && !calm; steps++) {
    calm = 1;
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        v[i][j] = 0.2 * (u[i][j] + u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++) {
        double growth = v[i][j] - u[i][j];
        calm = calm && growth < 2e-3;
        u[i][j] = v[i][j];
      }
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      sum += u[i][j] * (i + 2 * j);
  printf("%d steps, %.17g\n", steps, sum);
  free(u);
  free(v);
  return 0;
}
