/* torus2d: Rows and columns are rings of a constant number of cells.
 * hexcc-test: warns=HX0204
 */
#define N 512

void torus2d(int T, float A[N][N], float B[N][N])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        B[i][j] = 0.25f * (A[i == 0 ? N-1 : i-1][j] + A[i == N-1 ? 0 : i+1][j]  // here
                           + A[i][j == 0 ? N-1 : j-1] + A[i][j == N-1 ? 0 : j+1]);
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        A[i][j] = B[i][j];
  }
#pragma endscop
}

/* fix:
#define H 256

void torus2d(int T, float A[2][2][H+2][H+2], float B[2][2][H+2][H+2])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i <= H; i++)
      for (int j = 1; j <= H; j++) {
        B[0][0][i][j] = 0.25f * (A[0][0][i-1][j] + A[0][0][i+1][j] + A[0][0][i][j-1] + A[0][0][i][j+1]);
        B[0][1][i][j] = 0.25f * (A[0][1][i-1][j] + A[0][1][i+1][j] + A[0][1][i][j+1] + A[0][1][i][j-1]);
        B[1][0][i][j] = 0.25f * (A[1][0][i+1][j] + A[1][0][i-1][j] + A[1][0][i][j-1] + A[1][0][i][j+1]);
        B[1][1][i][j] = 0.25f * (A[1][1][i+1][j] + A[1][1][i-1][j] + A[1][1][i][j+1] + A[1][1][i][j-1]);
      }
    for (int i = 1; i <= H; i++)
      for (int j = 1; j <= H; j++) {
        A[0][0][i][j] = B[0][0][i][j];
        A[0][1][i][j] = B[0][1][i][j];
        A[1][0][i][j] = B[1][0][i][j];
        A[1][1][i][j] = B[1][1][i][j];
      }
    for (int j = 1; j <= H; j++) {
      A[0][0][0][j] = B[1][0][1][j];
      A[0][1][0][j] = B[1][1][1][j];
      A[1][0][0][j] = B[0][0][1][j];
      A[1][1][0][j] = B[0][1][1][j];
      A[0][0][H+1][j] = B[1][0][H][j];
      A[0][1][H+1][j] = B[1][1][H][j];
      A[1][0][H+1][j] = B[0][0][H][j];
      A[1][1][H+1][j] = B[0][1][H][j];
    }
    for (int i = 1; i <= H; i++) {
      A[0][0][i][0] = B[0][1][i][1];
      A[0][1][i][0] = B[0][0][i][1];
      A[1][0][i][0] = B[1][1][i][1];
      A[1][1][i][0] = B[1][0][i][1];
      A[0][0][i][H+1] = B[0][1][i][H];
      A[0][1][i][H+1] = B[0][0][i][H];
      A[1][0][i][H+1] = B[1][1][i][H];
      A[1][1][i][H+1] = B[1][0][i][H];
    }
  }
#pragma endscop
}
*/
