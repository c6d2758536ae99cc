/* coarsedivided2d: several cells a thread, of which those that do not exist may divide by zero.
 * hexcc-test: expect=HX0211 flags=--kernel,coarsened
 */
void coarsedivided2d(int N, int T, int A[2][N][N], int C[N][N])
{
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        A[(t+1)%2][i][j] = (A[t%2][i-1][j] + A[t%2][i+1][j]) / C[i][j]; // here
}
