/* window1d: A sum into a local variable over a loop whose number of iterations is a parameter.
 * hexcc-test: warns=HX0203
 */
void window1d(int N, int T, int R, float A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = R; i < N - R; i++) {
      float sum = 0.0f;  // here
      for (int a = -R; a <= R; a++)
        sum += 0.1f * A[t%2][i+a];
      A[(t+1)%2][i] = sum;
    }
#pragma endscop
}
