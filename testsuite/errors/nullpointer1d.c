/* nullpointer1d: A pointer of the loop body.
 * hexcc-test: expect=HX0108
 */
void nullpointer1d(int N, int T, float A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    float *from = 0;  // here
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i+1]);
  }
#pragma endscop
}
