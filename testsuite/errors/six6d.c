/* six6d: Six space dimensions, one of them small.
 * hexcc-test: warns=HX0205
 */
void six6d(int N, int T, float A[2][N][N][N][N][N][2])
{
#pragma scop
  for (int t = 0; t < T; t++)  // here
    for (int i = 1; i < N; i++)
      for (int j = 0; j < N; j++)
        for (int k = 0; k < N; k++)
          for (int l = 0; l < N; l++)
            for (int m = 0; m < N; m++)
              for (int c = 0; c < 2; c++)
                A[(t+1)%2][i][j][k][l][m][c] = 0.5f * A[t%2][i-1][j][k][l][m][c];
#pragma endscop
}
