/* coarseturned2d: several cells a thread, where neighbouring cells do not read neighbouring elements.
 * hexcc-test: expect=HX0211 flags=--kernel,streamed
 */
void coarseturned2d(int N, int T, float A[N][N], float B[N][N])
{
  for (int t = 0; t < T; t++) {
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        B[i][j] = 0.5f * A[j][i]; // here
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        A[i][j] = B[j][i];
  }
}
