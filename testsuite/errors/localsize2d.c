/* localsize2d: A loop to one behind the end, by a size that is a constant of the function.
 * hexcc-test: expect=HX0111
 */
double A[50][100][100];

void localsize2d(void)
{
  int N = 100, T = 50;

#pragma scop
  for (int t = 1; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N; j++)
        A[t][i][j] = 0.5 * (A[t-1][i][j-1] + A[t-1][i][j+1]);  // here
#pragma endscop
}

/* fix:
double A[50][100][100];

void localsize2d(void)
{
  int N = 100, T = 50;

#pragma scop
  for (int t = 1; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        A[t][i][j] = 0.5 * (A[t-1][i][j-1] + A[t-1][i][j+1]);
#pragma endscop
}
*/
