/* notexchanged1d: Three planes without an exchange: from the second step on, all of them are one array.
 * hexcc-test: expect=HX0108
 */
void notexchanged1d(int N, int T, float *next, float *now, float *old)
{
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      next[i] = 2.0f * now[i] - old[i] + 0.1f * (now[i-1] - 2.0f * now[i] + now[i+1]);
    old = now;  // here
    now = next;
  }
}

/* fix:
void notexchanged1d(int N, int T, float *next, float *now, float *old)
{
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      next[i] = 2.0f * now[i] - old[i] + 0.1f * (now[i-1] - 2.0f * now[i] + now[i+1]);
    float *tmp = old;
    old = now;
    now = next;
    next = tmp;
  }
}
*/
