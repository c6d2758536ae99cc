/* rowtable2d: A table of pointers to rows.
 * hexcc-test: expect=HX0110
 */
#define N 100
static double *A[N], *B[N];  // here

void rowtable2d(int T)
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        B[i][j] = 0.25 * (A[i-1][j] + A[i+1][j] + A[i][j-1] + A[i][j+1]);
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        A[i][j] = B[i][j];
  }
#pragma endscop
}
