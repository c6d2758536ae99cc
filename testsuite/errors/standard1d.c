/* standard1d: A header of C++, and functions of its library.
 * hexcc-test: expect=HX0115
 */
#include <cmath>  // here
#include <algorithm>

void standard1d(int N, int T, float A[2][1000])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = std::min(1.0f, std::abs(A[t%2][i-1] - A[t%2][i+1]));
#pragma endscop
}

/* fix:
#include <math.h>

void standard1d(int N, int T, float A[2][1000])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = fminf(1.0f, fabsf(A[t%2][i-1] - A[t%2][i+1]));
#pragma endscop
}
*/
