/* jump1d: A jump over the value of a constant.
 * hexcc-test: warns=HX0113
 */
int checked(int n)
{
  if (n < 3)
    goto bad;  // here
  const int half = n / 2;
  return half;
bad:
  return 0;
}

void jump1d(int N, int T, float A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i+1]);
#pragma endscop
}

/* fix:
int checked(int n)
{
  int half;

  if (n < 3)
    goto bad;
  half = n / 2;
  return half;
bad:
  return 0;
}

void jump1d(int N, int T, float A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i+1]);
#pragma endscop
}
*/
