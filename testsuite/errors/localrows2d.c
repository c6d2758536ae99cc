/* localrows2d: A loop to one behind the end of an array that is declared with a constant of the function.
 * hexcc-test: expect=HX0111
 */
double localrows2d(void)
{
  int N = 100, M = 101, T = 50;
  double A[N][N], B[N][N];

#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < M; i++)
      for (int j = 1; j < N - 1; j++)
        B[i][j] = 0.5 * (A[i-1][j] + A[i][j]);  // here
    for (int i = 1; i < N; i++)
      for (int j = 1; j < N - 1; j++)
        A[i][j] = B[i][j];
  }
#pragma endscop
  return A[1][1];
}
