/* datacondition1d: A statement that runs under a condition on the data.
 * hexcc-test: expect=HX0105
 */
void datacondition1d(int N, int T, float A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      if (A[t%2][i] > 0.5f)
        A[(t+1)%2][i] = 0.33f * (A[t%2][i-1] + A[t%2][i] + A[t%2][i+1]);  // here
#pragma endscop
}

/* fix:
void datacondition1d(int N, int T, float A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = A[t%2][i] > 0.5f ? 0.33f * (A[t%2][i-1] + A[t%2][i] + A[t%2][i+1]) : A[(t+1)%2][i];
#pragma endscop
}
*/
