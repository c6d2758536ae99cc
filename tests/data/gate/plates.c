// Arrays at file scope, small ones: CUDA does not manage them before it is needed.
#include <stdio.h>
#include <stdlib.h>

#define N 40

static double u[N][N], v[N][N];

int main(int argc, char **argv) {
  int steps = argc > 1 ? atoi(argv[1]) : 20;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      u[i][j] = (i * 7 + j) % 11;
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        u[i][j] = v[i][j];
    printf("%.17g\n", u[N / 2][N / 2]);
  }
  return 0;
}
