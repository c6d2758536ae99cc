/* coarse1d: several cells a thread, where threads share one loop.
 * hexcc-test: expect=HX0211 flags=--kernel,coarsened
 */
void coarse1d(int N, int T, float A[2][N])
{
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i+1]); // here
}
