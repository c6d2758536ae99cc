/* bitcells1d: A member is a bit-field, which has no address.
 * hexcc-test: expect=HX0106 fix=HX0209
 */
struct cell {
  float u, v;
  unsigned wall : 1;
};

void bitcells1d(int N, int T, struct cell A[N])
{
  for (int t = 0; t < T; t++)
    for (int i = 0; i < N; i++) {
      A[i].u += A[i].wall * 0.5f;  // here
      A[i].v = A[i].u * 0.25f;
    }
}

/* fix:
struct cell {
  float u, v;
};

void bitcells1d(int N, int T, struct cell A[N], unsigned wall[N])
{
  for (int t = 0; t < T; t++)
    for (int i = 0; i < N; i++) {
      A[i].u += wall[i] * 0.5f;
      A[i].v = A[i].u * 0.25f;
    }
}
*/
