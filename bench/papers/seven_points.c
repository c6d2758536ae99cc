/* seven_points: the 3D stencil of "Stencil in CUDA": seven cells, each with a coefficient of its own.
 * See docs/site/results/kernels.md.
 */
#include <stdio.h>
#include <stdlib.h>

static void seven_points(int N, int T, float A[2][N][N][N], float c0, float c1, float c2, float c3, float c4,
                         float c5, float c6)
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++)
          A[(t+1)%2][i][j][k] = c0 * A[t%2][i][j][k] + c1 * A[t%2][i][j][k-1] + c2 * A[t%2][i][j][k+1]
            + c3 * A[t%2][i][j-1][k] + c4 * A[t%2][i][j+1][k] + c5 * A[t%2][i-1][j][k] + c6 * A[t%2][i+1][j][k];
#pragma endscop
}

int main(int argc, char **argv)
{
  int N = argc > 1 ? atoi(argv[1]) : 128, T = argc > 2 ? atoi(argv[2]) : 20;
  size_t n = 2 * (size_t)N * N * N;
  float *A = (float *)malloc(sizeof(float) * n);
  double sum = 0;

  for (size_t i = 0; i < n; i++)
    A[i] = (float)(i % 1009 + 1) / 1009;
  seven_points(N, T, (float (*)[N][N][N])A, 0.4f, 0.11f, 0.09f, 0.12f, 0.08f, 0.105f, 0.095f);
  for (size_t i = 0; i < n; i++)
    sum += A[i];
  printf("%.6e\n", sum / n);
  free(A);
  return 0;
}
