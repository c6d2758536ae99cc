/* membercounter1d: The time loop counts with the member of a struct.
 * hexcc-test: expect=HX0105
 */
struct grid { int time; };

void membercounter1d(int N, int T, float A[N], float B[N], struct grid *g)
{
#pragma scop
  for (g->time = 0; g->time < T; g->time++) {  // here
    for (int i = 1; i < N - 1; i++)
      B[i] = 0.5f * (A[i-1] + A[i+1]);
    for (int i = 1; i < N - 1; i++)
      A[i] = B[i];
  }
#pragma endscop
}

/* fix:
struct grid { int time; };

void membercounter1d(int N, int T, float A[N], float B[N], struct grid *g)
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      B[i] = 0.5f * (A[i-1] + A[i+1]);
    for (int i = 1; i < N - 1; i++)
      A[i] = B[i];
  }
#pragma endscop
  g->time = T > 0 ? T : 0;
}
*/
