/* accumulated1d: The sum of the cells to the left, in one variable.
 * hexcc-test: expect=HX0203 flags=--tiling,hybrid
 */
void accumulated1d(int N, int T, float A[2][N], float sum[T])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 0; i < N; i++) {
      A[(t+1)%2][i] = 0.5f * A[t%2][i] + sum[t];
      sum[t] += A[(t+1)%2][i];  // here
    }
#pragma endscop
}
