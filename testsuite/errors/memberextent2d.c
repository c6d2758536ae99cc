/* memberextent2d: A row length that is the member of a struct.
 * hexcc-test: expect=HX0109
 */
struct grid {
  int n;
};

void memberextent2d(struct grid *g, int n, int T, float (*A)[g->n], float (*B)[g->n])  // here
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        B[i][j] = 0.25f * (A[i-1][j] + A[i+1][j] + A[i][j-1] + A[i][j+1]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        A[i][j] = B[i][j];
  }
#pragma endscop
}

/* fix:
struct grid {
  int n;
};

void memberextent2d(struct grid *g, int n, int T, float *x, float *y)
{
  int size = g->n;
  float (*A)[size] = (float (*)[size])x, (*B)[size] = (float (*)[size])y;

#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        B[i][j] = 0.25f * (A[i-1][j] + A[i+1][j] + A[i][j-1] + A[i][j+1]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        A[i][j] = B[i][j];
  }
#pragma endscop
}
*/
