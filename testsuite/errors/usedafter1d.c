/* usedafter1d: A subscript that is what the time loop leaves in its iterator.
 * hexcc-test: expect=HX0104
 */
void usedafter1d(int N, int T, float A[2][N], float *B, float *x)
{
  int t;

#pragma scop
  for (t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i+1]);
  x[0] = B[t];  // here
#pragma endscop
}

/* fix:
void usedafter1d(int N, int T, float A[2][N], float *B, float *x)
{
  int t;

#pragma scop
  for (t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i+1]);
#pragma endscop
  x[0] = B[t];
}
*/
