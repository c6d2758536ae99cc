/* A smoothing stencil of 49 points, every term written out (by a script of ours). */
#include <stdio.h>
#include <stdlib.h>

#define N 60

static double a[N][N], b[N][N];

static void smooth(double in[N][N], double out[N][N])
{
  for (int i = 3; i < N - 3; i++)
    for (int j = 3; j < N - 3; j++)
      out[i][j] = (
        1.0 * in[i - 3][j - 3] + 2.0 * in[i - 3][j - 2] + 3.0 * in[i - 3][j - 1] + 4.0 * in[i - 3][j]
        + 3.0 * in[i - 3][j + 1] + 2.0 * in[i - 3][j + 2] + 1.0 * in[i - 3][j + 3]
        + 2.0 * in[i - 2][j - 3] + 4.0 * in[i - 2][j - 2] + 6.0 * in[i - 2][j - 1] + 8.0 * in[i - 2][j]
        + 6.0 * in[i - 2][j + 1] + 4.0 * in[i - 2][j + 2] + 2.0 * in[i - 2][j + 3]
        + 3.0 * in[i - 1][j - 3] + 6.0 * in[i - 1][j - 2] + 9.0 * in[i - 1][j - 1] + 12.0 * in[i - 1][j]
        + 9.0 * in[i - 1][j + 1] + 6.0 * in[i - 1][j + 2] + 3.0 * in[i - 1][j + 3]
        + 4.0 * in[i][j - 3] + 8.0 * in[i][j - 2] + 12.0 * in[i][j - 1] + 16.0 * in[i][j]
        + 12.0 * in[i][j + 1] + 8.0 * in[i][j + 2] + 4.0 * in[i][j + 3]
        + 3.0 * in[i + 1][j - 3] + 6.0 * in[i + 1][j - 2] + 9.0 * in[i + 1][j - 1] + 12.0 * in[i + 1][j]
        + 9.0 * in[i + 1][j + 1] + 6.0 * in[i + 1][j + 2] + 3.0 * in[i + 1][j + 3]
        + 2.0 * in[i + 2][j - 3] + 4.0 * in[i + 2][j - 2] + 6.0 * in[i + 2][j - 1] + 8.0 * in[i + 2][j]
        + 6.0 * in[i + 2][j + 1] + 4.0 * in[i + 2][j + 2] + 2.0 * in[i + 2][j + 3]
        + 1.0 * in[i + 3][j - 3] + 2.0 * in[i + 3][j - 2] + 3.0 * in[i + 3][j - 1] + 4.0 * in[i + 3][j]
        + 3.0 * in[i + 3][j + 1] + 2.0 * in[i + 3][j + 2] + 1.0 * in[i + 3][j + 3]
      ) / 256.0;
}

int main(int argc, char **argv)
{
  int pairs = argc > 1 ? atoi(argv[1]) : 4;
  double sum = 0;

  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = b[i][j] = (i * i + 3 * j) % 41;
  for (int t = 0; t < pairs; t++) {
    smooth(a, b);
    smooth(b, a);
  }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += a[i][j] * (1 + (i ^ j));
  printf("%.9f\n", sum);
  printf("%.12f %.12f\n", a[3][3], a[N / 2][N / 2]);
  return 0;
}
