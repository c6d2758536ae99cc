/* callcondition1d: A function of the file that is called under a condition on the data.
 * hexcc-test: expect=HX0105
 */
static float mean(const float *x, int i)
{
  return 0.5f * (x[i-1] + x[i+1]);
}

void callcondition1d(int N, int T, float A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      if (A[t%2][i] > 0.5f)
        A[(t+1)%2][i] = mean(A[t%2], i);  // here
#pragma endscop
}

/* fix:
void callcondition1d(int N, int T, float A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      if (A[t%2][i] > 0.5f)
        A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i+1]);
#pragma endscop
}
*/
