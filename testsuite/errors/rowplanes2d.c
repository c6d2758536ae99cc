/* rowplanes2d: A table of pointers with two dimensions.
 * hexcc-test: expect=HX0110
 */
#define N 100
static double *A[2][N];  // here

void rowplanes2d(int T)
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        A[(t+1)%2][i][j] = 0.25 * (A[t%2][i-1][j] + A[t%2][i+1][j] + A[t%2][i][j-1] + A[t%2][i][j+1]);
#pragma endscop
}

/* fix:
#define N 100

void rowplanes2d(int T, double **A[2])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        A[(t+1)%2][i][j] = 0.25 * (A[t%2][i-1][j] + A[t%2][i+1][j] + A[t%2][i][j-1] + A[t%2][i][j+1]);
#pragma endscop
}
*/
