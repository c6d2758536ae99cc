/* remainder1d: Every third cell has a value of its own, by an iterator that has 64 bits and no sign.
 * hexcc-test: expect=HX0105
 */
#include <stddef.h>

void remainder1d(int N, int T, float A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (size_t i = 1; i < N - 1; i++)
      if (i % 3 == 0)
        A[(t+1)%2][i] = 0.5f * A[t%2][i];  // here
      else
        A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i+1]);
#pragma endscop
}
/* fix:
void remainder1d(int N, int T, float A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      if (i % 3 == 0)
        A[(t+1)%2][i] = 0.5f * A[t%2][i];
      else
        A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i+1]);
#pragma endscop
}
*/
