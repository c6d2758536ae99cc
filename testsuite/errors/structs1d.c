/* structs1d: Array elements that are structs.
 * hexcc-test: expect=HX0106
 */
struct cell {
  float u, v;
};

void structs1d(int N, int T, struct cell A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++) {
      A[(t+1)%2][i].u = 0.5f * (A[t%2][i-1].u + A[t%2][i+1].v);  // here
      A[(t+1)%2][i].v = 0.5f * (A[t%2][i-1].v - A[t%2][i+1].u);
    }
#pragma endscop
}

/* fix:
void structs1d(int N, int T, float u[2][N], float v[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++) {
      u[(t+1)%2][i] = 0.5f * (u[t%2][i-1] + v[t%2][i+1]);
      v[(t+1)%2][i] = 0.5f * (v[t%2][i-1] - u[t%2][i+1]);
    }
#pragma endscop
}
*/
