/* while_data: A while loop that runs until the data has settled.
 * hexcc-test: expect=HX0105
 */
void while_data(int N, int T, float A[2][N])
{
#pragma scop
  while (A[0][0] > 0.001f)  // here
    for (int t = 0; t < T; t++)
      for (int i = 1; i < N - 1; i++)
        A[(t+1)%2][i] = 0.33f * (A[t%2][i-1] + A[t%2][i] + A[t%2][i+1]);
#pragma endscop
}
