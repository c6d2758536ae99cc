/* Rows by pointers, a step in a function: sides, corners one by one, and the inner cells. */
#include <stdio.h>
#include <stdlib.h>

static void step(int nx, int ny, double a, double b, double **v, double **u, double **w) {
  for (int j = 1; j < nx - 1; j++)
    v[0][j] = 2 * u[0][j] + a * u[1][j] - w[0][j];
  v[0][0] = 2 * u[0][0] - w[0][0];
  v[ny - 1][nx - 1] = 2 * u[ny - 1][nx - 1] - w[ny - 1][nx - 1];
  for (int i = 1; i < ny - 1; i++)
    for (int j = 1; j < nx - 1; j++)
      v[i][j] = 2 * u[i][j] + a * (u[i][j - 1] + u[i][j + 1] - 2 * u[i][j]) + b * u[i - 1][j] - w[i][j];
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 100;
  double **p[3], t = 0;
  for (int k = 0; k < 3; k++) {
    p[k] = malloc(n * sizeof(double *));
    for (int i = 0; i < n; i++) {
      p[k][i] = malloc(n * sizeof(double));
      for (int j = 0; j < n; j++) p[k][i][j] = (i * 7 + j * 3 + k) % 11;
    }
  }
  double **u = p[0], **v = p[1], **w = p[2];
  while (t < 1) {
    double **h = w;
    t += 0.01;
    step(n, n, 0.1, 0.2, v, u, w);
    w = u, u = v, v = h;
    if (u[n / 2][n / 2] > 1e20) break;
  }
  double sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) sum += u[i][j] * (j % 5);
  printf("%.15e\n", sum);
}
