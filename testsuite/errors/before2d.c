/* before2d: The second of two loops starts too early.
 * hexcc-test: expect=HX0111
 */
float A[100][100], B[100][100];

void before2d(int T)
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < 99; i++)
      for (int j = 1; j < 99; j++)
        B[i][j] = 0.5f * (A[i-1][j] + A[i+1][j]);
    for (int i = 1; i < 99; i++)
      for (int j = 1; j < 99; j++)
        A[i][j] = B[i][j-2];  // here
  }
#pragma endscop
}
