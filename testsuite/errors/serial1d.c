/* serial1d: A recurrence along a line whose last cell all others read: no loop has iterations that could run at the same time.
 * hexcc-test: expect=HX0206 flags=--tiling,stepwise
 */
void serial1d(int N, int T, float A[N])
{
#pragma scop
  for (int t = 0; t < T; t++)  // here
    for (int i = 1; i < N; i++)
      A[i] = 0.5f * A[i-1] + 0.25f * A[N-1];
#pragma endscop
}
