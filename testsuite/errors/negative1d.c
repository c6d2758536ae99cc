/* negative1d: A read before the first element.
 * hexcc-test: expect=HX0111
 */
void negative1d(int N, int T, float A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 0; i < N - 1; i++)
      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i+1]);  // here
#pragma endscop
}
