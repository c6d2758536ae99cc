/* toggle1d: The plane to read is a variable that toggles in every step.
 * hexcc-test: expect=HX0104
 */
void toggle1d(int N, int T, double A[2][N])
{
  int cur = 0;

#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      A[1-cur][i] = 0.5 * (A[cur][i-1] + A[cur][i+1]);  // here
    cur = 1 - cur;
  }
#pragma endscop
}

/* fix:
void toggle1d(int N, int T, double A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = 0.5 * (A[t%2][i-1] + A[t%2][i+1]);
#pragma endscop
}
*/
