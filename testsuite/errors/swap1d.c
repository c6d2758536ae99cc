/* swap1d: Pointers are swapped before every step.
 * hexcc-test: expect=HX0108
 */
void swap1d(int N, int T, float *A, float *B)
{
#pragma scop
  for (int t = 0; t < T; t++) {
    float *old = A;  // here
    A = B;
    B = old;
    for (int i = 1; i < N - 1; i++)
      B[i] = 0.5f * (A[i-1] + A[i+1]);
  }
#pragma endscop
}

/* fix:
void swap1d(int N, int T, float *A, float *B)
{
  float *old = A;
  A = B;
  B = old;
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      B[i] = 0.5f * (A[i-1] + A[i+1]);
    old = A;
    A = B;
    B = old;
  }
#pragma endscop
}
*/
