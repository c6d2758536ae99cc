/* wordfloor1d: A constant of an included file that is called like a function of isl.
 * hexcc-test: expect=HX0114
 */
#include "names.h"

void wordfloor1d(int T, float A[2][1000])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < floor - 1; i++)  // here
      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i+1]);
#pragma endscop
}

/* fix:
static const int size = 1000;

void wordfloor1d(int T, float A[2][1000])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < size - 1; i++)
      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i+1]);
#pragma endscop
}
*/
