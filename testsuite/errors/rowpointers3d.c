/* rowpointers3d: Pointers to arrays behind a pointer, hidden by a typedef.
 * hexcc-test: expect=HX0110
 */
typedef float (*plane)[64];

void rowpointers3d(int T, plane *A, float (*B)[64][64])  // here
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < 63; i++)
      for (int j = 1; j < 63; j++)
        for (int k = 1; k < 63; k++)
          B[i][j][k] = 0.5f * (A[i-1][j][k] + A[i+1][j][k]);
    for (int i = 1; i < 63; i++)
      for (int j = 1; j < 63; j++)
        for (int k = 1; k < 63; k++)
          A[i][j][k] = B[i][j][k];
  }
#pragma endscop
}
