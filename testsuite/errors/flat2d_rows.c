/* flat2d_rows: A flat array with a parametric number of cells in a row.
 * hexcc-test: expect=HX0104
 */
void flat2d_rows(int n, int T, float *u, float *v)
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        v[i*n+j] = 0.25f * (u[(i-1)*n+j] + u[(i+1)*n+j] + u[i*n+j-1] + u[i*n+j+1]);  // here
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        u[i*n+j] = v[i*n+j];
  }
#pragma endscop
}

/* fix:
void flat2d_rows(int n, int T, float *u, float *v)
{
  float (*U)[n] = (float (*)[n])u, (*V)[n] = (float (*)[n])v;

#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        V[i][j] = 0.25f * (U[i-1][j] + U[i+1][j] + U[i][j-1] + U[i][j+1]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        U[i][j] = V[i][j];
  }
#pragma endscop
}
*/
