/* product2d: A row length that is a product of variables.
 * hexcc-test: expect=HX0109
 */
void product2d(int N, int T, int M, float (*A)[N*M], float (*B)[N*M])  // here
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        B[i][j] = 0.25f * (A[i-1][j] + A[i+1][j] + A[i][j-1] + A[i][j+1]);
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        A[i][j] = B[i][j];
  }
#pragma endscop
}

/* fix:
void product2d(int N, int T, int M, float (*A)[N*M], float (*B)[N*M])
{
  int n = N * M;
  float (*a)[n] = A, (*b)[n] = B;

#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        b[i][j] = 0.25f * (a[i-1][j] + a[i+1][j] + a[i][j-1] + a[i][j+1]);
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        a[i][j] = b[i][j];
  }
#pragma endscop
}
*/
