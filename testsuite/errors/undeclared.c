/* undeclared: An array that is not declared: the file does not compile.
 * hexcc-test: expect=HX0101
 */
void undeclared(int N, int T, float A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + C[t%2][i+1]);  // here
#pragma endscop
}
