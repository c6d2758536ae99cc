/* flat2d: A flat array with a constant number of cells in a row, and some cells behind the last one.
 * hexcc-test: warns=HX0204
 */
float u[40100], v[40100];

void flat2d(int T)
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < 199; i++)
      for (int j = 1; j < 199; j++)
        v[i*200+j] = 0.25f * (u[(i-1)*200+j] + u[(i+1)*200+j] + u[i*200+j-1] + u[i*200+j+1]);  // here
    for (int i = 1; i < 199; i++)
      for (int j = 1; j < 199; j++)
        u[i*200+j] = v[i*200+j];
  }
#pragma endscop
}

/* fix:
float u[40100], v[40100];

void flat2d(int T)
{
  float (*U)[200] = (float (*)[200])u, (*V)[200] = (float (*)[200])v;

#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < 199; i++)
      for (int j = 1; j < 199; j++)
        V[i][j] = 0.25f * (U[i-1][j] + U[i+1][j] + U[i][j-1] + U[i][j+1]);
    for (int i = 1; i < 199; i++)
      for (int j = 1; j < 199; j++)
        U[i][j] = V[i][j];
  }
#pragma endscop
}
*/
