/* negative1d_iterators: Iterators that are used again, where no iteration may run.
 * hexcc-test: expect=HX0111
 */
void negative1d_iterators(float A[2][100], float R[100])
{
  int t, i;
#pragma scop
  for (t = 0; t < 50; t++)
    for (i = 0; i < 99; i++)
      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i+1]);  // here
#pragma endscop
  for (i = 0; i < 100; i++)
    R[i] = A[0][i] + t;
}
