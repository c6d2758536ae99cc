/* syntax: A missing bracket: the file does not parse.
 * hexcc-test: expect=HX0101
 */
void syntax(int N, int T, float A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = 0.33f * (A[t%2][i-1 + A[t%2][i] + A[t%2][i+1]);  // here
#pragma endscop
}
