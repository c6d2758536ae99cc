/* seeded1d: A function that draws random numbers: each needs the one before it.
 * hexcc-test: expect=HX0203
 */
static unsigned seed = 1;

static float damped(float x)
{
  seed = seed * 1664525u + 1013904223u;  // here
  return 0.75f * x;
}

void seeded1d(int T, float A[2][40])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < 39; i++)
      A[(t+1)%2][i] = damped(A[t%2][i-1] + A[t%2][i+1]);
#pragma endscop
}
