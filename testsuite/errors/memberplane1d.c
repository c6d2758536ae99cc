/* memberplane1d: A subscript that is the member of a struct.
 * hexcc-test: expect=HX0104
 */
struct layout {
  int plane;
};

void memberplane1d(int N, int T, struct layout *l, float A[2][N], float C[4][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = C[l->plane][i] * (A[t%2][i-1] + A[t%2][i+1]);  // here
#pragma endscop
}

/* fix:
struct layout {
  int plane;
};

void memberplane1d(int N, int T, struct layout *l, float A[2][N], float C[4][N])
{
  int plane = l->plane;

#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = C[plane][i] * (A[t%2][i-1] + A[t%2][i+1]);
#pragma endscop
}
*/
