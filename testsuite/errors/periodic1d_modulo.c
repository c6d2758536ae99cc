/* periodic1d_modulo: Periodic boundary by a remainder modulo the parameter N, which is not affine.
 * hexcc-test: expect=HX0104
 */
void periodic1d_modulo(int N, int T, float A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 0; i < N; i++)
      A[(t+1)%2][i] = 0.33f * (A[t%2][(i+N-1)%N] + A[t%2][i] + A[t%2][(i+1)%N]);
#pragma endscop
}
