/* later1d: A variable of the region that is read behind it.
 * hexcc-test: expect=HX0206 flags=--tiling,stepwise
 */
float later1d(int N, float A[N], float B[N])
{
#pragma scop
  float first;  // here
  for (int i = 0; i < N; i++)
    B[i] = 0.5f * A[i];
  first = B[0];
#pragma endscop
  return first;
}
