/* Cells that the host changes in each step, as random numbers do: their memory would travel there and back. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 600, steps = argc > 2 ? atoi(argv[2]) : 20;
  double *u = malloc(sizeof(double) * n * n), *v = malloc(sizeof(double) * n * n), sum = 0;

  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      u[i * n + j] = v[i * n + j] = (i * 7 + j * 3) % 11;
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        v[i * n + j] = u[i * n + j] + 0.2 * (u[(i - 1) * n + j] + u[(i + 1) * n + j] + u[i * n + j - 1] + u[i * n + j + 1] - 4 * u[i * n + j]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        u[i * n + j] = v[i * n + j] + 1e-3 * (rand() % 3);
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      sum += u[i * n + j] * (i + 2 * j);
  printf("%.17g\n", sum);
  free(u);
  free(v);
  return 0;
}
