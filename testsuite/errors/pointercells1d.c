/* pointercells1d: A member of the cells is a pointer to memory elsewhere.
 * hexcc-test: expect=HX0106 fix=HX0209
 */
struct cell {
  float u;
  float *history;
};

void pointercells1d(int N, int T, struct cell A[N])
{
  for (int t = 0; t < T; t++)
    for (int i = 0; i < N; i++) {
      A[i].history[t] = A[i].u;  // here
      A[i].u *= 0.5f;
    }
}

/* fix:
struct cell {
  float u;
};

void pointercells1d(int N, int T, struct cell A[N], float history[T][N])
{
  for (int t = 0; t < T; t++)
    for (int i = 0; i < N; i++) {
      history[t][i] = A[i].u;
      A[i].u *= 0.5f;
    }
}
*/
