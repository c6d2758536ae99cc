/* notime2d: A single nest from A to B without reuse; there is no time loop around the stencil.
 * hexcc-test: warns=HX0201
 */
void notime2d(int N, float A[N][N], float B[N][N])
{
#pragma scop
  for (int i = 1; i < N - 1; i++)  // here
    for (int j = 1; j < N - 1; j++)
      B[i][j] = 0.2f * (A[i][j] + A[i-1][j] + A[i+1][j] + A[i][j-1] + A[i][j+1]);
#pragma endscop
}
