/* unioncells1d: Two members of a union are used, each as it was written through the other.
 * hexcc-test: expect=HX0106
 */
struct cell {
  union {
    float f;
    unsigned bits;
  };
  float u;
};

void unioncells1d(int N, int T, struct cell A[N])
{
  for (int t = 0; t < T; t++)
    for (int i = 0; i < N; i++) {
      A[i].f = A[i].u + (float)t;  // here
      A[i].bits = A[i].bits + 1u;
      A[i].u = 0.5f * A[i].f;
    }
}
