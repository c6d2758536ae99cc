/* prints1d: A print in every step.
 * hexcc-test: expect=HX0107
 */
#include <stdio.h>

void prints1d(int N, int T, float A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i+1]);
    printf("step %d\n", t);  // here
  }
#pragma endscop
}

/* fix:
#include <stdio.h>

void prints1d(int N, int T, float A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i+1]);
#pragma endscop
  printf("%d steps\n", T);
}
*/
