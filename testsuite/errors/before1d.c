/* before1d: A loop that starts one element too early, over an array of a fixed size.
 * hexcc-test: expect=HX0111
 */
float A[100];

void before1d(int T)
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < 99; i++)
      A[i] = A[i-2];  // here
#pragma endscop
}
