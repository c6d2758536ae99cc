/* five5d: Five space dimensions.
 * hexcc-test: warns=HX0205
 */
void five5d(int N, int T, float A[2][N][N][N][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)  // here
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++)
          for (int l = 1; l < N - 1; l++)
            for (int m = 1; m < N - 1; m++)
              A[(t+1)%2][i][j][k][l][m] = 0.5f * (A[t%2][i-1][j][k][l][m] + A[t%2][i+1][j][k][l][m]);
#pragma endscop
}
