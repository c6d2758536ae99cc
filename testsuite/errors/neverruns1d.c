/* neverruns1d: A loop that never runs.
 * hexcc-test: expect=HX0102
 */
void neverruns1d(int T, float *A, float *B)
{
#pragma scop  // here
  for (int t = 0; t < T; t++)
    for (int i = 10; i < 1; i++)
      B[i] = 0.5f * A[i];
#pragma endscop
}
