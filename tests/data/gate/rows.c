#include <stdio.h>
#include <stdlib.h>

static double **grid(int n)
{
  double **u = malloc(sizeof(double *) * n);

  for (int i = 0; i < n; i++) {
    u[i] = malloc(sizeof(double) * n);
    for (int j = 0; j < n; j++)
      u[i][j] = (i * 37 + j * 11) % 101;
  }
  return u;
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 20, steps = argc > 2 ? atoi(argv[2]) : 10;
  double **u = grid(n), **v = grid(n), sum = 0;

  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
    double **w = u;
    u = v;
    v = w;
    sum += u[n / 2][n / 2];
  }
  printf("%.17g %.17g\n", sum, u[1][1]);
  for (int i = 0; i < n; i++) {
    free(u[i]);
    free(v[i]);
  }
  free(u);
  free(v);
  return 0;
}
