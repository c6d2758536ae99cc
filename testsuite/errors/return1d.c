/* return1d: A return from inside the loops.
 * hexcc-test: expect=HX0105
 */
void return1d(int N, int T, float A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++) {
      if (A[t%2][i] < 0.0f)
        return;  // here
      A[(t+1)%2][i] = 0.33f * (A[t%2][i-1] + A[t%2][i] + A[t%2][i+1]);
    }
#pragma endscop
}
