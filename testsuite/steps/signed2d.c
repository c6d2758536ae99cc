/* signed2d: Largest and smallest changes with their signs; in the last loop both zeros are among them, and which one C keeps depends on the order.
 * hexcc-test: args=N,T run=3,2;20,50;65,300;90,60
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX(a, b) ((a) > (b) ? (a) : (b))

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 65, limit = argc > 2 ? atoi(argv[2]) : 300, step;
  double (*u)[n] = malloc(sizeof(double[n][n])), (*v)[n] = malloc(sizeof(double[n][n])), sum = 0;
  double rise = 0, fall = -1, most = 1;

  if (!u || !v)
    return 1;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      u[i][j] = v[i][j] = (i * 7 + j * 3) % 11;
  for (step = 1; step <= limit; step++) {
    rise = 0.;
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++) {
        double d = 0.2 * (u[i + 1][j] + u[i - 1][j] - 2 * u[i][j]) + 0.2 * (u[i][j + 1] + u[i][j - 1] - 2 * u[i][j]);
        if (d > rise)
          rise = d;
        v[i][j] = u[i][j] + d;
      }
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        u[i][j] = v[i][j];
    if (rise < 1e-2)
      break;
  }
  printf("%d %.17g\n", step, rise);
  for (step = 0; step < limit && fall < -1e-4; step++) {
    fall = 1e30;
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++) {
        v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
        fall = v[i][j] - u[i][j] <= fall ? v[i][j] - u[i][j] : fall;
      }
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        u[i][j] = v[i][j];
  }
  printf("%d %.17g\n", step, fall);
  for (step = 0; step < limit && most > 0; step++) {
    most = 0;
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        v[i][j] = floor(0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]));
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++) {
        double d = (2 * ((i + j) % 2) - 1) * (v[i][j] - u[i][j]);
        most = MAX(most, d);
        u[i][j] = v[i][j];
      }
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      sum += u[i][j] * (i + 2 * j);
  printf("%d steps, %.17g of sign %d, %.17g\n", step, most, signbit(most) != 0, sum);
  free(u);
  free(v);
  return 0;
}
