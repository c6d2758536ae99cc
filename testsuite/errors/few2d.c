/* few2d: A time loop that prints, and a nest in it that is too small for a kernel.
 * hexcc-test: expect=HX0107
 */
#include <stdio.h>

void few2d(int T, float A[8][8], float B[8][8])
{
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < 7; i++)
      for (int j = 1; j < 7; j++)
        B[i][j] = 0.25f * (A[i-1][j] + A[i+1][j] + A[i][j-1] + A[i][j+1]);
    for (int i = 1; i < 7; i++)
      for (int j = 1; j < 7; j++)
        A[i][j] = B[i][j];
    printf("%d\n", t);  // here
  }
}
