/* allocatedby2d: Local arrays that a macro of an included file declares.
 * hexcc-test: expect=HX0112
 */
#include <stdlib.h>
#include "declares.h"

float allocatedby2d(int n, int T)
{
  BLOCK(A);  // here
  BLOCK(B);

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
  return A[1][1];
}

/* fix:
#include <stdlib.h>

float allocatedby2d(int n, int T)
{
  float (*A)[n] = (float (*)[n])malloc(sizeof(float[n][n]));
  float (*B)[n] = (float (*)[n])malloc(sizeof(float[n][n]));

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
  return A[1][1];
}
*/
