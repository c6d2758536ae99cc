/* wideliteral1d: A literal that is no int decides in which type an expression of the iterator is computed.
 * hexcc-test: expect=HX0108
 */
void wideliteral1d(int N, int T, double A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = A[t%2][i-1] + 0.5 * A[t%2][i+1] * (i * 5000000000LL);  // here
#pragma endscop
}

/* fix:
void wideliteral1d(int N, int T, double A[2][N])
{
  const long long factor = 5000000000LL;
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = A[t%2][i-1] + 0.5 * A[t%2][i+1] * (i * factor);
#pragma endscop
}
*/
