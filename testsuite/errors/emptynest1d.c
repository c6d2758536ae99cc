/* emptynest1d: A time loop that is refused, and a nest of loops without statements, of which there is nothing to say.
 * hexcc-test: expect=HX0203 flags=--tiling,hybrid
 */
void emptynest1d(int N, int T, float *A, float *B)
{
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N; i++)  // here
      A[i] = 0.5f * (A[i-1] + A[i]);
  for (int i = 1; i < N; i++)
    for (int j = 10; j < 1; j++)
      B[i] = A[j];
}

/* fix:
void emptynest1d(int N, int T, float A[2][N], float *B)
{
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N; i++)
      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i]);
  for (int i = 1; i < N; i++)
    for (int j = 10; j < 1; j++)
      B[i] = A[0][j];
}
*/
