/* undeclaredcall1d: A function of another file that is called without a declaration.
 * hexcc-test: warns=HX0116
 */
void undeclaredcall1d(int N, int T, float A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i+1]);
#pragma endscop
  report(T, A[T%2]);  // here
}

/* fix:
int report(int step, float *A);

void undeclaredcall1d(int N, int T, float A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i+1]);
#pragma endscop
  report(T, A[T%2]);
}
*/
