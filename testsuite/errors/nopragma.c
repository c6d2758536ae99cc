/* nopragma: A stencil without a scop pragma.
 * hexcc-test: expect=HX0102
 */
void nopragma(int N, int T, float A[2][N])
{
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = 0.33f * (A[t%2][i-1] + A[t%2][i] + A[t%2][i+1]);
}
