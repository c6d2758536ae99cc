/* boundsrow2d: A read behind the end of a row, which is in the next row.
 * hexcc-test: expect=HX0111
 */
void boundsrow2d(int N, int T, float A[2][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 0; i < N - 1; i++)
      for (int j = 0; j < N; j++)
        A[(t+1)%2][i][j] = 0.5f * (A[t%2][i+1][j] + A[t%2][i][j+1]);  // here
#pragma endscop
}
