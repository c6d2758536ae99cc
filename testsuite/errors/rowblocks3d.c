/* rowblocks3d: Pointers to arrays whose size is a parameter.
 * hexcc-test: expect=HX0110
 */
void rowblocks3d(int N, int T, float (**A)[N], float (*B)[N][N])  // here
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++)
          B[i][j][k] = 0.5f * (A[i-1][j][k] + A[i+1][j][k]);
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++)
          A[i][j][k] = B[i][j][k];
  }
#pragma endscop
}

/* fix:
void rowblocks3d(int N, int T, float ***A, float (*B)[N][N])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++)
          B[i][j][k] = 0.5f * (A[i-1][j][k] + A[i+1][j][k]);
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++)
          A[i][j][k] = B[i][j][k];
  }
#pragma endscop
}
*/
