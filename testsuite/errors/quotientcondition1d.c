/* quotientcondition1d: A division of integers under a condition that keeps it from dividing by zero.
 * hexcc-test: expect=HX0105
 */
void quotientcondition1d(int N, int T, int A[2][N], int B[N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++) {
      A[(t+1)%2][i] = A[t%2][i-1] + A[t%2][i+1];
      B[i] = A[t%2][i];
      if (A[t%2][i] != 0) {
        int share = 1000 / A[t%2][i];  // here
        B[i] = share;
      }
    }
#pragma endscop
}

/* fix:
void quotientcondition1d(int N, int T, int A[2][N], int B[N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++) {
      A[(t+1)%2][i] = A[t%2][i-1] + A[t%2][i+1];
      B[i] = A[t%2][i] != 0 ? 1000 / A[t%2][i] : A[t%2][i];
    }
#pragma endscop
}
*/
