/* undeclaredcall1d_header: A function of the system whose header is not included.
 * hexcc-test: warns=HX0116
 */
void undeclaredcall1d_header(int N, int T, float A[2][N])
{
  alarm(1);  // here
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i+1]);
#pragma endscop
}

/* fix:
#include <unistd.h>

void undeclaredcall1d_header(int N, int T, float A[2][N])
{
  alarm(1);
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i+1]);
#pragma endscop
}
*/
