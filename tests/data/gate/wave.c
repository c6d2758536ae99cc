// A wave in one dimension, whose steps are printed: each of them is a call.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 200, steps = argc > 2 ? atoi(argv[2]) : 1000;
  double *u = malloc(sizeof(double) * n), *v = malloc(sizeof(double) * n), *w = malloc(sizeof(double) * n);
  for (int i = 0; i < n; i++) u[i] = v[i] = i % 17 / 17.0;
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      w[i] = 2 * v[i] - u[i] + 0.25 * (v[i - 1] - 2 * v[i] + v[i + 1]);
    w[0] = w[n - 1] = 0;
    double *x = u;
    u = v, v = w, w = x;
    if (t % 10 == 0) printf("%d %.17g\n", t, v[n / 2]);
  }
  double sum = 0;
  for (int i = 0; i < n; i++) sum += v[i] * (i % 13);
  printf("%.17g\n", sum);
  free(u), free(v), free(w);
  return 0;
}
