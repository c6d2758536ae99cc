/* endless1d_down: A loop that counts in the wrong direction has no end.
 * hexcc-test: expect=HX0105
 */
void endless1d_down(int N, int T, float *A)
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = N - 1; i >= 0; i++)  // here
      A[i] = 0.5f * A[i];
#pragma endscop
}

/* fix:
void endless1d_down(int N, int T, float *A)
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = N - 1; i >= 0; i--)
      A[i] = 0.5f * A[i];
#pragma endscop
}
*/
