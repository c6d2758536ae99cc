/* rowmaybe2d: A row that C looks up only where a condition on data holds.
 * hexcc-test: expect=HX0110
 */
void rowmaybe2d(int N, int T, float **A, float **B, float **C)
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        B[i][j] = A[i][j] > 0.5f ? A[i][j] : C[i][j];  // here
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        A[i][j] = 0.25f * (B[i-1][j] + B[i+1][j] + B[i][j-1] + B[i][j+1]);
  }
#pragma endscop
}

/* fix:
void rowmaybe2d(int N, int T, float **A, float **B, float **C)
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++) {
        float c = C[i][j];
        B[i][j] = A[i][j] > 0.5f ? A[i][j] : c;
      }
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        A[i][j] = 0.25f * (B[i-1][j] + B[i+1][j] + B[i][j-1] + B[i][j+1]);
  }
#pragma endscop
}
*/
