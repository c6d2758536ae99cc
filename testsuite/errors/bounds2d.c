/* bounds2d: A loop that reads one row too many.
 * hexcc-test: expect=HX0111
 */
#define N 64

float A[N][N], B[N][N];

void bounds2d(int T)
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        B[i][j] = 0.5f * (A[i+1][j] + A[i][j]);  // here
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        A[i][j] = B[i][j];
  }
#pragma endscop
}
