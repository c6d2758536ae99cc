/* saves1d: The host saves the cells in every step.
 * hexcc-test: expect=HX0107
 */
void save(int n, double *cells);

void saves1d(int N, int T, double A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = 0.5 * (A[t%2][i-1] + A[t%2][i+1]);
    save(N, A[(t+1)%2]);  // here
  }
#pragma endscop
}

/* fix:
void save(int n, double *cells);

void saves1d(int N, int T, double A[2][N])
{
  for (int s = 0; s < T; s += 100) {
#pragma scop
    for (int t = s; t < s + 100; t++)
      for (int i = 1; i < N - 1; i++)
        A[(t+1)%2][i] = 0.5 * (A[t%2][i-1] + A[t%2][i+1]);
#pragma endscop
    save(N, A[s%2]);
  }
}
*/
