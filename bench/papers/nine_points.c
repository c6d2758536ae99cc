/* nine_points: the 2D stencil of radius 2 whose kernels "2D Stencil Profiling" compares: the sum of a cell and the
 * two next to it in each direction. Numbers grow by 9 in each step. See docs/site/results/kernels.md.
 */
#include <stdio.h>
#include <stdlib.h>

static void nine_points(int N, int T, float A[2][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 2; i < N - 2; i++)
      for (int j = 2; j < N - 2; j++)
        A[(t+1)%2][i][j] = A[t%2][i][j] + A[t%2][i+1][j] + A[t%2][i-1][j] + A[t%2][i][j+1] + A[t%2][i][j-1]
          + A[t%2][i+2][j] + A[t%2][i-2][j] + A[t%2][i][j+2] + A[t%2][i][j-2];
#pragma endscop
}

int main(int argc, char **argv)
{
  int N = argc > 1 ? atoi(argv[1]) : 1024, T = argc > 2 ? atoi(argv[2]) : 20;
  size_t n = 2 * (size_t)N * N;
  float *A = (float *)malloc(sizeof(float) * n);
  double sum = 0;

  for (size_t i = 0; i < n; i++)
    A[i] = (float)(i % 1009 + 1) / 1009;
  nine_points(N, T, (float (*)[N][N])A);
  for (size_t i = 0; i < n; i++)
    sum += A[i];
  printf("%.6e\n", sum / n);
  free(A);
  return 0;
}
