/* inplace2d: A sweep in place beside a parallel nest: hyperplane by hyperplane.
 * hexcc-test: warns=HX0212 flags=--tiling,stepwise
 */
void inplace2d(int N, int T, double A[N][N], double f[N][N])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        f[i][j] = 0.5 * f[i][j] + A[i][j];
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        A[i][j] = 0.25 * (A[i-1][j] + A[i+1][j] + A[i][j-1] + A[i][j+1] - f[i][j]);  // here
  }
#pragma endscop
}
