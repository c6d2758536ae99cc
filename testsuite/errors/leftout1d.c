/* leftout1d: A region that the preprocessor leaves out.
 * hexcc-test: expect=HX0102
 */
void leftout1d(int N, int T, float A[2][N])
{
#ifdef NEVER_DEFINED
#pragma scop  // here
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i+1]);
#pragma endscop
#endif
}
