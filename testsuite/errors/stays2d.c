/* stays2d: Tiles are asked for, and the time loop prints: it stays on the host, and its nests have no tiles.
 * hexcc-test: expect=HX0206 flags=--tiling,hybrid
 */
#include <stdio.h>

#define N 200

void stays2d(int T, float (*A)[N], float (*B)[N])
{
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)  // here
      for (int j = 1; j < N - 1; j++)
        B[i][j] = 0.25f * (A[i-1][j] + A[i+1][j] + A[i][j-1] + A[i][j+1]);
    float (*old)[N] = A;
    A = B;
    B = old;
    printf("%d\n", t);
  }
}
