/* notinline1d: A function of the file that is not marked inline.
 * hexcc-test: expect=HX0107
 */
static double mean(double a, double b)
{
  double sum = a + b;

  return 0.5 * sum;
}

void notinline1d(int N, int T, double A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = mean(A[t%2][i-1], A[t%2][i+1]);  // here
#pragma endscop
}

/* fix:
static inline double mean(double a, double b)
{
  double sum = a + b;

  return 0.5 * sum;
}

void notinline1d(int N, int T, double A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = mean(A[t%2][i-1], A[t%2][i+1]);
#pragma endscop
}
*/
