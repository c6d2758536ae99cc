/* packedcells1d: A packed struct, whose members lie where no array of their type has elements.
 * hexcc-test: expect=HX0106 fix=HX0209
 */
struct __attribute__((packed)) cell {
  char kind;
  float u, v;
};

void packedcells1d(int N, int T, struct cell A[N])
{
  for (int t = 0; t < T; t++)
    for (int i = 0; i < N; i++) {
      A[i].u += A[i].v * 0.5f;  // here
      A[i].v = A[i].u * 0.25f;
    }
}

/* fix:
struct cell {
  char kind;
  float u, v;
};

void packedcells1d(int N, int T, struct cell A[N])
{
  for (int t = 0; t < T; t++)
    for (int i = 0; i < N; i++) {
      A[i].u += A[i].v * 0.5f;
      A[i].v = A[i].u * 0.25f;
    }
}
*/
