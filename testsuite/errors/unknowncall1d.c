/* unknowncall1d: A call of a function whose body and effects are unknown.
 * hexcc-test: expect=HX0107
 */
float foo(float x);

void unknowncall1d(int N, int T, float A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = 0.5f * foo(A[t%2][i-1]) + 0.5f * A[t%2][i+1];  // here
#pragma endscop
}

/* fix:
static inline float foo(float x)
{
  return x * x;
}

void unknowncall1d(int N, int T, float A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = 0.5f * foo(A[t%2][i-1]) + 0.5f * A[t%2][i+1];
#pragma endscop
}
*/
