/* negative1d_iterators: Iterators that are used again, where no size lets the loops run.
 * hexcc-test: expect=HX0111
 */
void negative1d_iterators(int N, int T, float A[2][N], float R[N])
{
  int t, i;
#pragma scop
  for (t = 0; t < T; t++)
    for (i = 0; i < N - 1; i++)
      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i+1]);
#pragma endscop
  for (i = 0; i < N; i++)
    R[i] = A[0][i] + t;
}
