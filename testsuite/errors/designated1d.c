/* designated1d: Designators in another order than the members.
 * hexcc-test: warns=HX0113
 */
struct size {
  int n, steps;
};

struct size standard = { .steps = 10, .n = 100 };  // here

void designated1d(int N, int T, float A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i+1]);
#pragma endscop
}

/* fix:
struct size {
  int n, steps;
};

struct size standard = { 100, 10 };

void designated1d(int N, int T, float A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i+1]);
#pragma endscop
}
*/
