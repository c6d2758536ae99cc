/* chained1d: A cell gets a value within the value of another one.
 * hexcc-test: expect=HX0108
 */
void chained1d(int N, int T, float A[2][N], float B[N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = 0.5f * (B[i] = A[t%2][i-1] + A[t%2][i+1]);  // here
#pragma endscop
}

/* fix:
void chained1d(int N, int T, float A[2][N], float B[N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++) {
      B[i] = A[t%2][i-1] + A[t%2][i+1];
      A[(t+1)%2][i] = 0.5f * B[i];
    }
#pragma endscop
}
*/
