/* earlyreturn1d: A called function that returns within a loop.
 * hexcc-test: expect=HX0105
 */
static void sweep(int N, float *to, const float *from)
{
  for (int i = 1; i < N - 1; i++) {
    if (i > 100)
      return;  // here
    to[i] = 0.5f * (from[i-1] + from[i+1]);
  }
}

void earlyreturn1d(int N, int T, float A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    sweep(N, A[(t+1)%2], A[t%2]);
#pragma endscop
}

/* fix:
static void sweep(int N, float *to, const float *from)
{
  for (int i = 1; i < N - 1; i++) {
    if (i <= 100)
      to[i] = 0.5f * (from[i-1] + from[i+1]);
  }
}

void earlyreturn1d(int N, int T, float A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    sweep(N, A[(t+1)%2], A[t%2]);
#pragma endscop
}
*/
