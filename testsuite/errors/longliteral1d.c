/* longliteral1d: A constant of type long double.
 * hexcc-test: expect=HX0108
 */
void longliteral1d(int N, int T, double A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = 0.5L * (A[t%2][i-1] + A[t%2][i+1]);  // here
#pragma endscop
}

/* fix:
void longliteral1d(int N, int T, double A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = 0.5 * (A[t%2][i-1] + A[t%2][i+1]);
#pragma endscop
}
*/
