/* flat2d_lengths: A flat array whose rows have one length where it is written and another where it is read.
 * hexcc-test: expect=HX0104
 */
void flat2d_lengths(int m, int n, int T, float *u, float *v)
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < m - 1; i++)
      for (int j = 1; j < n - 1; j++)
        v[i*n+j] = 0.5f * (u[i*n+j-1] + u[i*n+j+1]);
    for (int i = 1; i < m - 1; i++)
      for (int j = 1; j < n - 1; j++)
        u[i*n+j] = v[j*m+i];  // here
  }
#pragma endscop
}

/* fix:
void flat2d_lengths(int m, int n, int T, float *u, float *v)
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < m - 1; i++)
      for (int j = 1; j < n - 1; j++)
        v[i*n+j] = 0.5f * (u[i*n+j-1] + u[i*n+j+1]);
    for (int i = 1; i < m - 1; i++)
      for (int j = 1; j < n - 1; j++)
        u[i*n+j] = v[i*n+j];
  }
#pragma endscop
}
*/
