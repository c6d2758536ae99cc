/* notinjective1d: All iterations of the space loop write the same element.
 * hexcc-test: expect=HX0203
 */
void notinjective1d(int N, int T, float A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][0] = 0.5f * A[t%2][i];  // here
#pragma endscop
}
