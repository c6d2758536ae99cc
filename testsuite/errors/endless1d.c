/* endless1d: A condition that names another iterator: the space loop has no end.
 * hexcc-test: expect=HX0105
 */
void endless1d(int N, int T, float A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; t < N - 1; i++)  // here
      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i]);
#pragma endscop
}

/* fix:
void endless1d(int N, int T, float A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i]);
#pragma endscop
}
*/
