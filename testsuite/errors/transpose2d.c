/* transpose2d: A read from the transposed position of a written array: the distance grows with N.
 * hexcc-test: warns=HX0204
 */
void transpose2d(int N, int T, float A[2][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        A[(t+1)%2][i][j] = 0.5f * (A[t%2][i][j] + A[t%2][j][i]);  // here
#pragma endscop
}

/* fix:
void transpose2d(int N, int T, float L[2][N][N], float U[2][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 0; i < N; i++)
      for (int j = 0; j <= i; j++) {
        L[(t+1)%2][i][j] = 0.5f * (L[t%2][i][j] + U[t%2][i][j]);
        U[(t+1)%2][i][j] = 0.5f * (U[t%2][i][j] + L[t%2][i][j]);
      }
#pragma endscop
}
*/
