/* overloads1d: Functions with one name, and a function for callers of C.
 * hexcc-test: expect=HX0115
 */
static float clip(float x)
{
  return x > 1.0f ? 1.0f : x;
}

static double clip(double x)
{
  return x > 1.0 ? 1.0 : x;
}

extern "C"  // here
void overloads1d(int N, int T, float A[2][1000])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = clip(0.5f * (A[t%2][i-1] + A[t%2][i+1]));
#pragma endscop
}

/* fix:
static float clip(float x)
{
  return x > 1.0f ? 1.0f : x;
}

void overloads1d(int N, int T, float A[2][1000])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = clip(0.5f * (A[t%2][i-1] + A[t%2][i+1]));
#pragma endscop
}
*/
