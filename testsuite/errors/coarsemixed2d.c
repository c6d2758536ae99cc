/* coarsemixed2d: several cells a thread, of arrays with elements of two types.
 * hexcc-test: expect=HX0211 flags=--kernel,coarsened
 */
void coarsemixed2d(int N, int T, float A[2][N][N], double C[N][N])
{
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        A[(t+1)%2][i][j] = (float)(C[i][j] * (A[t%2][i-1][j] + A[t%2][i+1][j])); // here
}
