/* memberfactor1d: A factor that is the member of a struct.
 * hexcc-test: expect=HX0106
 */
struct params {
  double c;
};

void memberfactor1d(int N, int T, struct params p, double A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = p.c * (A[t%2][i-1] + A[t%2][i+1]);  // here
#pragma endscop
}

/* fix:
struct params {
  double c;
};

void memberfactor1d(int N, int T, struct params p, double A[2][N])
{
  double c = p.c;

#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = c * (A[t%2][i-1] + A[t%2][i+1]);
#pragma endscop
}
*/
