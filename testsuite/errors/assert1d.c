/* assert1d: An assertion in the time loop.
 * hexcc-test: warns=HX0118
 */
#include <assert.h>

void assert1d(int N, int T, float A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++) {
      assert(A[t%2][i] < 100);  // here
      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i+1]);
    }
#pragma endscop
}

/* fix:
#define NDEBUG
#include <assert.h>

void assert1d(int N, int T, float A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++) {
      assert(A[t%2][i] < 100);
      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i+1]);
    }
#pragma endscop
}
*/
