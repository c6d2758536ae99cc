/* notinline2d: The sweep is a function with array parameters that is not marked inline.
 * hexcc-test: expect=HX0107
 */
static void sweep(int n, float b[n][n], float a[n][n])
{
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      b[i][j] = 0.25f * (a[i-1][j] + a[i+1][j] + a[i][j-1] + a[i][j+1]);
}

void notinline2d(int n, int T, float A[n][n], float B[n][n])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    sweep(n, B, A);  // here
    sweep(n, A, B);
  }
#pragma endscop
}

/* fix:
static inline void sweep(int n, float b[n][n], float a[n][n])
{
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      b[i][j] = 0.25f * (a[i-1][j] + a[i+1][j] + a[i][j-1] + a[i][j+1]);
}

void notinline2d(int n, int T, float A[n][n], float B[n][n])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    sweep(n, B, A);
    sweep(n, A, B);
  }
#pragma endscop
}
*/
