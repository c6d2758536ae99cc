/* oldstyle1d: A function of the host with old-style parameters, which the preprocessor chooses.
 * hexcc-test: warns=HX0113
 */
int clamp(x, last)  // here
#ifdef WIDE
  long x, last;
#else
  int x, last;
#endif
{
  return x < last ? x : last;
}

void oldstyle1d(int N, int T, float A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i+1]);
#pragma endscop
}

/* fix:
int clamp(int x, int last)
{
  return x < last ? x : last;
}

void oldstyle1d(int N, int T, float A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i+1]);
#pragma endscop
}
*/
