// Time loops that are called again and again.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void relax(int n, int steps, double A[2][n]) {
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n - 1; i++)
      A[(t + 1) % 2][i] = 0.5 * A[t % 2][i] + 0.25 * (A[t % 2][i - 1] + A[t % 2][i + 1]) / (1 + A[t % 2][i] / (2 + A[t % 2][i + 1] / 3));
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 200, calls = argc > 2 ? atoi(argv[2]) : 10;
  double (*A)[n] = malloc(sizeof(double) * 2 * n);
  for (int i = 0; i < n; i++) A[0][i] = A[1][i] = i % 17 / 17.0;
  for (int c = 0; c < calls; c++) {
    relax(n, 100, A);
    printf("%d %.17g\n", c, A[0][n / 2]);
  }
  double sum = 0;
  for (int i = 0; i < n; i++) sum += A[0][i] * (i % 13) + A[1][i];
  printf("%.17g\n", sum);
  free(A);
  return 0;
}
