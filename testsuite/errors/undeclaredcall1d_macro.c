/* undeclaredcall1d_macro: A function without a declaration whose result is an argument of another one.
 * hexcc-test: warns=HX0116
 */
#define HALF(x) ((x) / 2)

static int rounded(int n)
{
  return HALF(n) * 2;
}

void undeclaredcall1d_macro(int N, float A[2][N])
{
  int T = rounded(n_steps(HALF(N)));  // here

#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i+1]);
#pragma endscop
}

/* fix:
#define HALF(x) ((x) / 2)

int n_steps(int n);

static int rounded(int n)
{
  return HALF(n) * 2;
}

void undeclaredcall1d_macro(int N, float A[2][N])
{
  int T = rounded(n_steps(HALF(N)));

#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i+1]);
#pragma endscop
}
*/
