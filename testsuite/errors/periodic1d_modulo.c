/* periodic1d_modulo: Periodic boundary by a remainder modulo the parameter N.
 * hexcc-test: expect=HX0204 flags=--tiling,hybrid
 */
void periodic1d_modulo(int N, int T, float A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 0; i < N; i++)
      A[(t+1)%2][i] = 0.33f * (A[t%2][(i+N-1)%N] + A[t%2][i] + A[t%2][(i+1)%N]);  // here
#pragma endscop
}

/* fix:
void periodic1d_modulo(int H, int T, float L[2][H+2], float R[2][H+2])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i <= H; i++) {
      L[(t+1)%2][i] = 0.33f * (L[t%2][i-1] + L[t%2][i] + L[t%2][i+1]);
      R[(t+1)%2][i] = 0.33f * (R[t%2][i+1] + R[t%2][i] + R[t%2][i-1]);
    }
    L[(t+1)%2][0] = R[(t+1)%2][1];
    R[(t+1)%2][0] = L[(t+1)%2][1];
    L[(t+1)%2][H+1] = R[(t+1)%2][H];
    R[(t+1)%2][H+1] = L[(t+1)%2][H];
  }
#pragma endscop
}
*/
