/* longdouble1d: Elements that GPUs do not compute with.
 * hexcc-test: expect=HX0106
 */
void longdouble1d(int N, int T, long double A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = (A[t%2][i-1] + A[t%2][i+1]) / 2;  // here
#pragma endscop
}

/* fix:
void longdouble1d(int N, int T, double A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = (A[t%2][i-1] + A[t%2][i+1]) / 2;
#pragma endscop
}
*/
