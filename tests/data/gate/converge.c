#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Relaxation of a plate until it changes no more. */
int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 100, steps = 0, most = argc > 2 ? atoi(argv[2]) : 100000;
  double (*u)[n] = malloc(sizeof(double[n][n])), (*w)[n] = malloc(sizeof(double[n][n]));
  double diff, eps = 1e-4;

  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      u[i][j] = w[i][j] = i == n - 1 ? 0.0 : i == 0 || j == 0 || j == n - 1 ? 100.0 : 75.0;
  do {
    diff = 0;
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        w[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        diff = fmax(diff, fabs(w[i][j] - u[i][j]));
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        u[i][j] = w[i][j];
    steps++;
  } while (diff > eps && steps < most);
  printf("%d %.17g %.17g\n", steps, diff, u[n / 2][n / 2]);
  return 0;
}
