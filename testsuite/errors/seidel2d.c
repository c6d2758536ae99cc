/* seidel2d: Gauss-Seidel in place, 9 points: both space loops carry dependences.
 * hexcc-test: expect=HX0203 flags=--tiling,hybrid
 */
void seidel2d(int N, int T, float A[N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)  // here
      for (int j = 1; j < N - 1; j++)
        A[i][j] = 0.11f * (A[i-1][j-1] + A[i-1][j] + A[i-1][j+1]
                           + A[i][j-1] + A[i][j] + A[i][j+1]
                           + A[i+1][j-1] + A[i+1][j] + A[i+1][j+1]);
#pragma endscop
}

/* fix:
void seidel2d(int N, int T, float A[2][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        A[(t+1)%2][i][j] = 0.11f * (A[t%2][i-1][j-1] + A[t%2][i-1][j] + A[t%2][i-1][j+1]
                                    + A[t%2][i][j-1] + A[t%2][i][j] + A[t%2][i][j+1]
                                    + A[t%2][i+1][j-1] + A[t%2][i+1][j] + A[t%2][i+1][j+1]);
#pragma endscop
}
*/
