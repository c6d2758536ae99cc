/* five5d_const: Five space dimensions of constant size.
 * hexcc-test: warns=HX0205
 */
void five5d_const(int T, float A[2][10][10][10][10][10])
{
#pragma scop
  for (int t = 0; t < T; t++)  // here
    for (int i = 1; i < 10 - 1; i++)
      for (int j = 1; j < 10 - 1; j++)
        for (int k = 1; k < 10 - 1; k++)
          for (int l = 1; l < 10 - 1; l++)
            for (int m = 1; m < 10 - 1; m++)
              A[(t+1)%2][i][j][k][l][m] = 0.5f * (A[t%2][i-1][j][k][l][m] + A[t%2][i+1][j][k][l][m]);
#pragma endscop
}
