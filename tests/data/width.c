/* width: Rows of constant length of which the run uses as many columns as it is told; more than a row has are those of the next row. */
#include <stdio.h>
#include <stdlib.h>
#define N 256
static double b[200 * N], c[200 * N];
int main(int argc, char **argv) {
  int m = argc > 1 ? atoi(argv[1]) : 100, n = argc > 2 ? atoi(argv[2]) : 150;
  for (int i = 0; i < 200; i++) for (int j = 0; j < N; j++) b[i * N + j] = c[i * N + j] = (i * 7 + j * 3) % 13;
  for (int t = 0; t < 20; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++)
        c[i * N + j] = 0.25 * (b[(i - 1) * N + j] + b[(i + 1) * N + j] + b[i * N + j - 1] + b[i * N + j + 1]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++)
        b[i * N + j] = c[i * N + j];
  }
  double s = 0;
  for (int i = 0; i < 200; i++) for (int j = 0; j < N; j++) s += b[i * N + j] * (i + j);
  printf("%.17g\n", s);
}
