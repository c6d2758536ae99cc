/* indirect1d: A subscript read from another array.
 * hexcc-test: expect=HX0104
 */
void indirect1d(int N, int T, float A[2][N], int B[N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 0; i < N; i++)
      A[(t+1)%2][i] = 0.5f * A[t%2][B[i]];  // here
#pragma endscop
}
