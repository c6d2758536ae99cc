/* notime1d: One loop from A to B; there is no time loop around the stencil.
 * hexcc-test: warns=HX0201
 */
void notime1d(int N, float A[N], float B[N])
{
#pragma scop
  for (int i = 1; i < N - 1; i++)  // here
    B[i] = 0.33f * (A[i-1] + A[i] + A[i+1]);
#pragma endscop
}

/* fix:
void notime1d(int N, int T, float A[N], float B[N])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      B[i] = 0.33f * (A[i-1] + A[i] + A[i+1]);
    for (int i = 1; i < N - 1; i++)
      A[i] = B[i];
  }
#pragma endscop
}
*/
