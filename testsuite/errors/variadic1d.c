/* variadic1d: A function of any number of arguments.
 * hexcc-test: expect=HX0107
 */
float sum(int n, ...);

void variadic1d(int N, int T, float A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = 0.5f * sum(2, A[t%2][i-1], A[t%2][i+1]);  // here
#pragma endscop
}

/* fix:
static float sum(float a, float b)
{
  return a + b;
}

void variadic1d(int N, int T, float A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = 0.5f * sum(A[t%2][i-1], A[t%2][i+1]);
#pragma endscop
}
*/
