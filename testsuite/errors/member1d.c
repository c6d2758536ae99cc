/* member1d: The number of steps is the member of a struct.
 * hexcc-test: expect=HX0105
 */
struct params {
  int n, steps;
};

void member1d(struct params p, float A[2][p.n])
{
#pragma scop
  for (int t = 0; t < p.steps; t++)  // here
    for (int i = 1; i < p.n - 1; i++)
      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i+1]);
#pragma endscop
}

/* fix:
struct params {
  int n, steps;
};

void member1d(struct params p, float A[2][p.n])
{
  int n = p.n, steps = p.steps;
  float (*B)[n] = A;

#pragma scop
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n - 1; i++)
      B[(t+1)%2][i] = 0.5f * (B[t%2][i-1] + B[t%2][i+1]);
#pragma endscop
}
*/
