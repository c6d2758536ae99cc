/* reduction1d: A scalar sum over the cells inside the time loop: the space loop carries a
 * dependence.
 * hexcc-test: expect=HX0203 flags=--tiling,hybrid
 */
float reduction1d(int N, int T, float A[2][N])
{
  float sum = 0.0f;

#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++) {
      A[(t+1)%2][i] = 0.33f * (A[t%2][i-1] + A[t%2][i] + A[t%2][i+1]);
      sum += A[(t+1)%2][i];  // here
    }
#pragma endscop
  return sum;
}

/* fix:
float reduction1d(int N, int T, float A[2][N])
{
  float sum = 0.0f;

#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = 0.33f * (A[t%2][i-1] + A[t%2][i] + A[t%2][i+1]);
#pragma endscop
  for (int i = 1; i < N - 1; i++)
    sum += A[T%2][i];
  return sum;
}
*/
