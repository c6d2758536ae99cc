/* counted1d: A function that counts how often it is called, in few cells.
 * hexcc-test: expect=HX0203
 */
static int calls;

static float damped(float x)
{
  calls++;  // here
  return 0.75f * x;
}

void counted1d(int T, float A[2][40])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < 39; i++)
      A[(t+1)%2][i] = damped(A[t%2][i-1] + A[t%2][i+1]);
#pragma endscop
}
