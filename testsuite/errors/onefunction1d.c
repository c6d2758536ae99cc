/* onefunction1d: One function with two scops.
 * hexcc-test: warns=HX0103
 */
void onefunction1d(int N, int T, float A[2][N], float B[2][N])
{
#pragma scop  // here
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i+1]);
#pragma endscop
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      B[(t+1)%2][i] = 0.25f * (B[t%2][i-1] + B[t%2][i+1]);
#pragma endscop
}

/* fix:
void onefunction1d(int N, int T, float A[2][N], float B[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i+1]);
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      B[(t+1)%2][i] = 0.25f * (B[t%2][i-1] + B[t%2][i+1]);
#pragma endscop
}
*/
