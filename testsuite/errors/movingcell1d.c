/* movingcell1d: A pointer to a cell that moves in the loop.
 * hexcc-test: expect=HX0105 fix=HX0209
 */
struct cell {
  float u, v;
};

void movingcell1d(int N, int T, struct cell A[N])
{
  for (int t = 0; t < T; t++) {
    struct cell *c = &A[0];  // here
    for (int i = 0; i < N; i++) {
      c->u += c->v * 0.5f;
      c++;
    }
  }
}

/* fix:
struct cell {
  float u, v;
};

void movingcell1d(int N, int T, struct cell A[N])
{
  for (int t = 0; t < T; t++)
    for (int i = 0; i < N; i++) {
      struct cell *c = &A[i];
      c->u += c->v * 0.5f;
    }
}
*/
