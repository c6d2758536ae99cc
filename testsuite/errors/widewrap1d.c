/* widewrap1d: An index that is subtracted from in 64 bits without a sign wraps around.
 * hexcc-test: expect=HX0108
 */
void widewrap1d(int N, int T, unsigned long A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = A[t%2][i-1] + A[t%2][i+1] + (i - 5ul);  // here
#pragma endscop
}
