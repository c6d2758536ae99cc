/* transpose2d: A read from the transposed position of a written array: the distance grows with N.
 * hexcc-test: expect=HX0204
 */
void transpose2d(int N, int T, float A[2][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        A[(t+1)%2][i][j] = 0.5f * (A[t%2][i][j] + A[t%2][j][i]);
#pragma endscop
}
