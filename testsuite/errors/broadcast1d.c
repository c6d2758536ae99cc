/* broadcast1d: Every cell reads cell 0 of the step before: the distance grows with N.
 * hexcc-test: warns=HX0204
 */
void broadcast1d(int N, int T, float A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 0; i < N; i++)
      A[(t+1)%2][i] = 0.5f * (A[t%2][i] + A[t%2][0]);  // here
#pragma endscop
}
