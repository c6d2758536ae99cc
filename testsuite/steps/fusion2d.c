/* fusion2d: nests over the same cells are one launch, unless they read beside a cell, have other cells or loops, or lose several cells a thread.
 * hexcc-test: args=N,T run=16,3;33,4;7,2;3,5 flags=--tiling=stepwise
 */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
  int N = argc > 1 ? atoi(argv[1]) : 16, T = argc > 2 ? atoi(argv[2]) : 3;
  float (*a)[N] = malloc(sizeof(float[N][N])), (*b)[N] = malloc(sizeof(float[N][N])), (*c)[N] = malloc(sizeof(float[N][N]));
  short (*m)[N] = malloc(sizeof(short[N][N]));
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = (i * 7 + j * 3) % 11, b[i][j] = (i + j) % 5, c[i][j] = 0, m[i][j] = 0;
#pragma scop
  for (int t = 0; t < T; t++) {
    /* The second and the third are one launch: what one writes, the other reads in the same cell. With the first, whose elements are all `float`, threads would have one cell. */
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        b[i][j] = 0.25f * (a[i-1][j] + a[i+1][j] + a[i][j-1] + a[i][j+1]) + 0.001f * b[i][j];
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        m[i][j] = b[i][j] > a[i][j+1] ? 1 : 2;
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++) {
        float most = b[i][j];
        for (int k = 0; k < 3; k++)
          if (a[i][j+k-1] > most)
            most = a[i][j+k-1];
        c[i][j] = most - m[i][j];
      }
    /* It writes what the nest before reads in other cells. */
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        a[i][j] = b[i][j] + 0.5f * c[i][j];
    /* Others are its cells. */
    for (int i = 0; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        c[i][j] = 0.5f * a[i][j];
    /* It reads what the nest before writes in the cell beside it. */
    for (int i = 0; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        b[i][j] += 0.125f * c[i][j-1];
  }
  /* Another loop of the host. */
  for (int t = 0; t < T; t++)
    for (int i = 0; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        m[i][j] = m[i][j] + (b[i][j] > t);
#pragma endscop
  double sum = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += a[i][j] * (i + 1) + b[i][j] * (j + 2) + c[i][j] * (i + 3 * j) + m[i][j] * (i + j * j);
  printf("%.9g\n", sum);
  free(a), free(b), free(c), free(m);
  return 0;
}
