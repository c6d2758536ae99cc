/* nonaffine1d: A subscript that is a product of iterators.
 * hexcc-test: expect=HX0104
 */
void nonaffine1d(int N, int T, float A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 0; i < 10; i++)
      A[(t+1)%2][i] = 0.5f * A[t%2][i*i];  // here
#pragma endscop
}
