/* twoscops1d: Two functions, each with a scop.
 * hexcc-test: warns=HX0103 instead=--function=sharpen
 */
void smooth(int N, int T, float A[2][N])
{
#pragma scop  // here
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i+1]);
#pragma endscop
}

void sharpen(int N, int T, float A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = 1.5f * A[t%2][i] - 0.25f * (A[t%2][i-1] + A[t%2][i+1]);
#pragma endscop
}
