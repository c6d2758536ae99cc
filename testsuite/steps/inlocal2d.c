/* inlocal2d: A step in a function with an array of its own, whose sizes are parameters, and one with a small array in the loop.
 * hexcc-test: args=N,T run=3,2;20,5;65,40;97,9
 */
#include <stdio.h>
#include <stdlib.h>

#define SHORT 61

/* Upwind along rows, by the sign of the speed. */
static void advect(int n, int m, double q[n][m], const double speed[n][m], double dt)
{
  double next[n][m];

  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      next[i][j] = q[i][j];
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++) {
      double along;

      if (speed[i][j] > 0)
        along = q[i][j] - q[i][j-1];
      else
        along = q[i][j+1] - q[i][j];
      next[i][j] = q[i][j] - dt * speed[i][j] * along;
    }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      q[i][j] = next[i][j];
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 65, steps = argc > 2 ? atoi(argv[2]) : 40, m = n + 5;
  double (*q)[m] = malloc(sizeof(double[n][m])), (*speed)[m] = malloc(sizeof(double[n][m]));
  double line[SHORT];

  if (!q || !speed)
    return 1;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      q[i][j] = (i * 31 + j * 17) % 101 * 0.01;
      speed[i][j] = (i * 7 + j * 3) % 9 - 4;
    }
  for (int i = 0; i < SHORT; i++)
    line[i] = i * i % 11;
  for (int t = 0; t < steps; t++)
    advect(n, m, q, speed, 0.1);
  for (int t = 0; t < steps; t++) {
    double means[SHORT];

    for (int i = 1; i < SHORT - 1; i++)
      means[i] = (line[i-1] + line[i] + line[i+1]) / 3;
    for (int i = 1; i < SHORT - 1; i++)
      line[i] = means[i];
  }
  printf("%.17g, %.17g\n", q[n / 2][m / 2], line[SHORT / 2]);
  free(q);
  free(speed);
  return 0;
}
