/* guardedcounter1d: A counter that is used later, of a loop under a condition on data.
 * hexcc-test: expect=HX0105
 */
int guardedcounter1d(int N, int T, float A[2][N])
{
  int k = -7;

#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++) {
      float s = 0.33f * (A[t%2][i-1] + A[t%2][i] + A[t%2][i+1]);
      if (A[t%2][i] > 0.5f)
        for (k = 0; k < 4; k++) // here
          s += 0.01f * k;
      A[(t+1)%2][i] = s;
    }
#pragma endscop
  return k;
}

/* fix:
int guardedcounter1d(int N, int T, float A[2][N])
{
  int k = -7;

#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++) {
      float s = 0.33f * (A[t%2][i-1] + A[t%2][i] + A[t%2][i+1]);
      if (A[t%2][i] > 0.5f)
        for (int k = 0; k < 4; k++)
          s += 0.01f * k;
      A[(t+1)%2][i] = s;
    }
#pragma endscop
  return k;
}
*/
