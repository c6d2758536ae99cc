/* membermacro1d: A macro stands for the member of a struct.
 * hexcc-test: expect=HX0105
 */
#define STEPS p.steps

struct params {
  int steps;
};

void membermacro1d(int N, struct params p, float A[2][N])
{
#pragma scop
  for (int t = 0; t < STEPS; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i+1]);  // here
#pragma endscop
}
