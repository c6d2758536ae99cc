/* flat2d_rows: A flat array of which columns leave their rows: every other element is read of twice as many.
 * hexcc-test: expect=HX0104
 */
void flat2d_rows(int m, int n, int T, float *u, float *v)
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < m - 1; i++)
      for (int j = 1; j < n - 1; j++)
        v[i*n+j] = 0.25f * (u[(i-1)*n+2*j] + u[(i+1)*n+j] + u[i*n+j-1] + u[i*n+j+1]);  // here
    for (int i = 1; i < m - 1; i++)
      for (int j = 1; j < n - 1; j++)
        u[i*n+j] = v[i*n+j];
  }
#pragma endscop
}

/* fix:
void flat2d_rows(int m, int n, int T, float *u, float *v)
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < m - 1; i++)
      for (int j = 1; j < n - 1; j++)
        v[i*n+j] = 0.25f * (u[(i-1)*n+j] + u[(i+1)*n+j] + u[i*n+j-1] + u[i*n+j+1]);
    for (int i = 1; i < m - 1; i++)
      for (int j = 1; j < n - 1; j++)
        u[i*n+j] = v[i*n+j];
  }
#pragma endscop
}
*/
