// One time loop.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 200, steps = argc > 2 ? atoi(argv[2]) : 10;
  double (*A)[n] = malloc(sizeof(double) * 2 * n);
  for (int i = 0; i < n; i++) A[0][i] = A[1][i] = i % 17 / 17.0;
#pragma scop
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n - 1; i++)
      A[(t + 1) % 2][i] = exp(-exp(A[t % 2][i])) + exp(-A[t % 2][i - 1]) / (1 + exp(A[t % 2][i + 1]));
#pragma endscop
  double sum = 0;
  for (int i = 0; i < n; i++) sum += A[0][i] * (i % 13) + A[1][i];
  printf("%.17g\n", sum);
  free(A);
  return 0;
}
