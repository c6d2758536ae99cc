/* infinity1d: A macro of the C library that stands for a function of the compiler.
 * hexcc-test: expect=HX0107
 */
#include <math.h>

void infinity1d(int N, int T, float A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = fminf(INFINITY, A[t%2][i-1] + A[t%2][i+1]);  // here
#pragma endscop
}

/* fix:
#include <math.h>

void infinity1d(int N, int T, float A[2][N])
{
  float infinity = INFINITY;

#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = fminf(infinity, A[t%2][i-1] + A[t%2][i+1]);
#pragma endscop
}
*/
