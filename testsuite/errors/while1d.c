/* while1d: A while loop with a counter of its own, which subscripts use.
 * hexcc-test: expect=HX0104
 */
void while1d(int N, int T, double A[2][N])
{
  int t = 0;

#pragma scop
  while (t < T) {
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = 0.5 * (A[t%2][i-1] + A[t%2][i+1]);  // here
    t++;
  }
#pragma endscop
}

/* fix:
void while1d(int N, int T, double A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = 0.5 * (A[t%2][i-1] + A[t%2][i+1]);
#pragma endscop
}
*/
