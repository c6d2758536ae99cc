/* movingbound1d: The last cell is a variable that moves in every step.
 * hexcc-test: expect=HX0105
 */
void movingbound1d(int N, int T, float A[2][N])
{
  int last = 2;

#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < last; i++)
      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i+1]);  // here
    last = last + 1;
  }
#pragma endscop
}

/* fix:
void movingbound1d(int N, int T, float A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < t + 2; i++)
      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i+1]);
#pragma endscop
}
*/
