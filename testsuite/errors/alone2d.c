/* alone2d: A recurrence that one thread computes between two parallel nests.
 * hexcc-test: warns=HX0207 flags=--tiling,stepwise
 */
void alone2d(int N, int T, double A[N][N], double sum[1])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    sum[0] = 0;
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        sum[0] = 0.5 * sum[0] + A[i][j];  // here
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        A[i][j] = A[i][j] / sum[0];
  }
#pragma endscop
}
