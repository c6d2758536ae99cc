/* wordmod1d: A size of an included file that is called like an operator of isl.
 * hexcc-test: expect=HX0114
 */
#include "names.h"

void wordmod1d(int T, float A[2][1000])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < mod - 1; i++)  // here
      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i+1]);
#pragma endscop
}

/* fix:
extern int size;

void wordmod1d(int T, float A[2][1000])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < size - 1; i++)
      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i+1]);
#pragma endscop
}
*/
