/* step1d: The step of the space loop is a variable.
 * hexcc-test: expect=HX0105
 */
void step1d(int N, int T, float A[2][N])
{
  const int step = 2;

#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i += step)  // here
      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i]);
#pragma endscop
}

/* fix:
#define STEP 2

void step1d(int N, int T, float A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i += STEP)
      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i]);
#pragma endscop
}
*/
