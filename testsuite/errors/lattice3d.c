/* lattice3d: A small periodic lattice, of which no tile is a part.
 * hexcc-test: warns=HX0204
 */
#define N 24

void lattice3d(int T, double A[2][N][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        for (int k = 0; k < N; k++)
          A[(t+1)%2][i][j][k] = A[t%2][(i+9)%N][j][k] + A[t%2][i][(j+1)%N][k]  // here
                                + A[t%2][i][j][(k+1)%N];
#pragma endscop
}
