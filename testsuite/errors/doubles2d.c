/* doubles2d: Floats that are computed in double, for a literal and a function.
 * hexcc-test: warns=HX0119
 */
#include <math.h>

void doubles2d(int N, int T, float A[2][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        A[(t+1)%2][i][j] = 0.25 * (A[t%2][i-1][j] + A[t%2][i+1][j])  // here
                         + sqrt(A[t%2][i][j-1] * A[t%2][i][j+1] + 1.0);
#pragma endscop
}

/* fix:
#include <math.h>

void doubles2d(int N, int T, float A[2][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        A[(t+1)%2][i][j] = 0.25f * (A[t%2][i-1][j] + A[t%2][i+1][j])
                         + sqrtf(A[t%2][i][j-1] * A[t%2][i][j+1] + 1.0f);
#pragma endscop
}
*/
