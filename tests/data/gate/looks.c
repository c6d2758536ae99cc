// The plate of swap.c, of which the host looks at an element in every step.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 50, steps = argc > 2 ? atoi(argv[2]) : 10;
  double *u = malloc(sizeof(double) * n * n), *v = malloc(sizeof(double) * n * n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) u[i * n + j] = v[i * n + j] = (i * 37 + j * 11) % 101 / 101.0;
  double seen = 0;
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        v[i * n + j] = 0.6 * u[i * n + j] + 0.1 * (u[(i - 1) * n + j] + u[(i + 1) * n + j] + u[i * n + j - 1] + u[i * n + j + 1]);
    seen += *(v + n + t % n);
    double *w = u;
    u = v;
    v = w;
  }
  printf("%.17g %.17g\n", seen, u[n + 1]);
  free(u), free(v);
  return 0;
}
