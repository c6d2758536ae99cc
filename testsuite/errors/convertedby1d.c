/* convertedby1d: Memory that a macro takes without the cast that C++ wants.
 * hexcc-test: expect=HX0112
 */
#include <stdlib.h>

#define CELLS(name, n) float *name = malloc((n) * sizeof(float))

float convertedby1d(int n, int T)
{
  CELLS(A, n);  // here
  CELLS(B, n);

#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < n - 1; i++)
      B[i] = 0.5f * (A[i-1] + A[i+1]);
    for (int i = 1; i < n - 1; i++)
      A[i] = B[i];
  }
#pragma endscop
  return A[1];
}

/* fix:
#include <stdlib.h>

#define CELLS(name, n) float *name = (float *)malloc((n) * sizeof(float))

float convertedby1d(int n, int T)
{
  CELLS(A, n);
  CELLS(B, n);

#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < n - 1; i++)
      B[i] = 0.5f * (A[i-1] + A[i+1]);
    for (int i = 1; i < n - 1; i++)
      A[i] = B[i];
  }
#pragma endscop
  return A[1];
}
*/
