/* databound1d: A loop bound read from an array.
 * hexcc-test: expect=HX0105
 */
void databound1d(int N, int T, float A[2][N], int last[T])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < last[t]; i++)
      A[(t+1)%2][i] = 0.33f * (A[t%2][i-1] + A[t%2][i] + A[t%2][i+1]);  // here
#pragma endscop
}
