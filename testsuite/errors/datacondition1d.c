/* datacondition1d: A statement that runs under a condition on the data, and writes elements that may not exist.
 * hexcc-test: expect=HX0105
 */
void datacondition1d(int N, int T, float A[2][N], float *last)
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++) {
      A[(t+1)%2][i] = 0.33f * (A[t%2][i-1] + A[t%2][i] + A[t%2][i+1]);
      if (A[t%2][i] > 0.5f)
        last[i] = A[t%2][i];  // here
    }
#pragma endscop
}

/* fix:
void datacondition1d(int N, int T, float A[2][N], float *last)
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++) {
      A[(t+1)%2][i] = 0.33f * (A[t%2][i-1] + A[t%2][i] + A[t%2][i+1]);
      last[i] = A[t%2][i] > 0.5f ? A[t%2][i] : last[i];
    }
#pragma endscop
}
*/
