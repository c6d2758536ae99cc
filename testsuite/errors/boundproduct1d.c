/* boundproduct1d: The end of a loop is a product of variables.
 * hexcc-test: expect=HX0105
 */
void boundproduct1d(int nx, int ny, int T, float *A, float *B)
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < nx * ny - 1; i++)  // here
      B[i] = 0.33f * (A[i-1] + A[i] + A[i+1]);
    for (int i = 1; i < nx * ny - 1; i++)
      A[i] = B[i];
  }
#pragma endscop
}

/* fix:
void boundproduct1d(int nx, int ny, int T, float *A, float *B)
{
  int n = nx * ny;

#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < n - 1; i++)
      B[i] = 0.33f * (A[i-1] + A[i] + A[i+1]);
    for (int i = 1; i < n - 1; i++)
      A[i] = B[i];
  }
#pragma endscop
}
*/
