/* edges1d: Neighbours beyond the ends are constants, chosen by `?:`; two arrays that lie side by side are handed
 * over as pointers.
 * hexcc-test: args=T run=0;1;20 warns=HX0107
 */
#include <stdio.h>
#include <stdlib.h>

#define M 300

static void slope(float *T, float *dT)
{
  int i;
  float c, l, r;

  for (i = 0; i < M; i++) {
    c = T[i];
    l = (i == 0) ? 100.0f : T[i - 1];
    r = (i == M - 1) ? 25.0f : T[i + 1];
    dT[i] = 0.1f * (l - 2 * c + r) / (0.5f * 0.5f);
  }
}

int main(int argc, char **argv)
{
  int i, t, steps = argc > 1 ? atoi(argv[1]) : 10;
  struct { float T[M], dT[M]; } both;

  for (i = 0; i < M; i++)
    both.T[i] = 25 + i % 7;
  for (t = 0; t < steps; t++) {
    slope(both.T, both.dT);
    for (i = 0; i < M; i++)
      both.T[i] = both.T[i] + both.dT[i] * 0.01f;
    printf("%d %.9g %.9g %.9g\n", t, both.T[0], both.T[M / 2], both.T[M - 1]);
  }
  return 0;
}
