/* template1d: A template with references, called in the loop.
 * hexcc-test: expect=HX0115
 */
template <typename T>  // here
static T average(const T &a, const T &b)
{
  return (a + b) / 2;
}

void template1d(int N, int T, float A[2][1000])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = average(A[t%2][i-1], A[t%2][i+1]);
#pragma endscop
}

/* fix:
static float average(float a, float b)
{
  return (a + b) / 2;
}

void template1d(int N, int T, float A[2][1000])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = average(A[t%2][i-1], A[t%2][i+1]);
#pragma endscop
}
*/
