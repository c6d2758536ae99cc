/* memberarray1d: The array is the member of a struct.
 * hexcc-test: expect=HX0106
 */
struct grid {
  float *now, *next;
};

void memberarray1d(int N, int T, struct grid g)
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      g.next[i] = 0.5f * (g.now[i-1] + g.now[i+1]);  // here
    for (int i = 1; i < N - 1; i++)
      g.now[i] = g.next[i];
  }
#pragma endscop
}

/* fix:
struct grid {
  float *now, *next;
};

void memberarray1d(int N, int T, struct grid g)
{
  float *now = g.now, *next = g.next;

#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      next[i] = 0.5f * (now[i-1] + now[i+1]);
    for (int i = 1; i < N - 1; i++)
      now[i] = next[i];
  }
#pragma endscop
}
*/
