/* ghosts1d: Ghost cells are copied from the other end in every step.
 * hexcc-test: warns=HX0204
 */
void ghosts1d(int N, int T, float A[2][N+2])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i <= N; i++)
      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i+1]);
    A[(t+1)%2][0] = A[(t+1)%2][N];  // here
    A[(t+1)%2][N+1] = A[(t+1)%2][1];
  }
#pragma endscop
}

/* fix:
void ghosts1d(int H, int T, float L[2][H+2], float R[2][H+2])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i <= H; i++) {
      L[(t+1)%2][i] = 0.5f * (L[t%2][i-1] + L[t%2][i+1]);
      R[(t+1)%2][i] = 0.5f * (R[t%2][i+1] + R[t%2][i-1]);
    }
    L[(t+1)%2][0] = R[(t+1)%2][1];
    R[(t+1)%2][0] = L[(t+1)%2][1];
    L[(t+1)%2][H+1] = R[(t+1)%2][H];
    R[(t+1)%2][H+1] = L[(t+1)%2][H];
  }
#pragma endscop
}
*/
