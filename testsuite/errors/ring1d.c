/* ring1d: A ring of a constant number of cells: a tile would be all of it.
 * hexcc-test: expect=HX0204 flags=--tiling,hybrid
 */
#define N 200

void ring1d(int T, float A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 0; i < N; i++)
      A[(t+1)%2][i] = 0.3f * A[t%2][(i+N-1)%N] + 0.7f * A[t%2][(i+1)%N];  // here
#pragma endscop
}

/* fix:
#define H 100

void ring1d(int T, float L[2][H+2], float R[2][H+2])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i <= H; i++) {
      L[(t+1)%2][i] = 0.3f * L[t%2][i-1] + 0.7f * L[t%2][i+1];
      R[(t+1)%2][i] = 0.3f * R[t%2][i+1] + 0.7f * R[t%2][i-1];
    }
    L[(t+1)%2][0] = R[(t+1)%2][1];
    R[(t+1)%2][0] = L[(t+1)%2][1];
    L[(t+1)%2][H+1] = R[(t+1)%2][H];
    R[(t+1)%2][H+1] = L[(t+1)%2][H];
  }
#pragma endscop
}
*/
