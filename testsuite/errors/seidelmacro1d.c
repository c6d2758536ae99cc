/* seidelmacro1d: Gauss-Seidel in a loop that a macro stands for.
 * hexcc-test: expect=HX0203 flags=--tiling,hybrid
 */
#define SWEEP for (int i = 1; i < N - 1; i++) A[i] = 0.33f * (A[i-1] + A[i] + A[i+1])

void seidelmacro1d(int N, int T, float A[N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    SWEEP;  // here
#pragma endscop
}
