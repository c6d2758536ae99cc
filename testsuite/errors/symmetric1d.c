/* symmetric1d: A read from the mirrored position of a written array: the distance grows with N.
 * hexcc-test: warns=HX0204
 */
void symmetric1d(int N, int T, float A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 0; i < N; i++)
      A[(t+1)%2][i] = 0.5f * (A[t%2][i] + A[t%2][N-1-i]);  // here
#pragma endscop
}

/* fix:
void symmetric1d(int H, int T, float L[2][H], float R[2][H])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 0; i < H; i++) {
      L[(t+1)%2][i] = 0.5f * (L[t%2][i] + R[t%2][i]);
      R[(t+1)%2][i] = 0.5f * (R[t%2][i] + L[t%2][i]);
    }
#pragma endscop
}
*/
