/* earlyvalue1d: A called function that counts a parameter down, and returns it in its middle.
 * hexcc-test: expect=HX0105
 */
static float limited(float x)
{
  if (x > 1.0f) {
    x--;
    return x;  // here
  }
  return x;
}

void earlyvalue1d(int N, int T, float A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = limited(A[t%2][i-1] + A[t%2][i+1]);
#pragma endscop
}

/* fix:
static float limited(float x)
{
  return x > 1.0f ? x - 1.0f : x;
}

void earlyvalue1d(int N, int T, float A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = limited(A[t%2][i-1] + A[t%2][i+1]);
#pragma endscop
}
*/
