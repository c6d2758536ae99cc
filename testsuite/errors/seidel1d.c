/* seidel1d: Gauss-Seidel in place: the space loop carries a dependence.
 * hexcc-test: expect=HX0203 flags=--tiling,hybrid
 */
void seidel1d(int N, int T, float A[N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)  // here
      A[i] = 0.33f * (A[i-1] + A[i] + A[i+1]);
#pragma endscop
}

/* fix:
void seidel1d(int N, int T, float A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = 0.33f * (A[t%2][i-1] + A[t%2][i] + A[t%2][i+1]);
#pragma endscop
}
*/
