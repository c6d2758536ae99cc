/* segments2d: A time loop that prints every so many steps runs in segments, whose steps are tiled over time.
 * hexcc-test: args=N,T,EVERY run=40,45,10;33,60,7;70,9,1;12,5,100;2,4,2;50,0,3 warns=HX0107
 */
#include <stdio.h>
#include <stdlib.h>

static void report(int n, int t, double u[n][n])
{
  unsigned long long hash = 0;

  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      hash = hash * 31 + (unsigned long long)(u[i][j] * 1e9);
  printf("%4d %llx %a\n", t, hash, u[n / 2][n / 3]);
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 40, steps = argc > 2 ? atoi(argv[2]) : 45;
  const int every = argc > 3 ? atoi(argv[3]) : 10;
  double (*u)[n][n] = malloc(2 * sizeof(*u));

  if (!u)
    return 1;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      u[0][i][j] = u[1][i][j] = (i * 13 + j * 7) % 29 / 3.0;
  for (int t = 0; t < steps; t++) { /* the time loop */
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        u[(t + 1) % 2][i][j] = 0.2 * (u[t % 2][i][j] + u[t % 2][i - 1][j] + u[t % 2][i + 1][j]
                                      + u[t % 2][i][j - 1] + u[t % 2][i][j + 1]);
    if (t % every == 0 || t + 1 == steps) // every so often, and at the end
      report(n, t, u[(t + 1) % 2]);
  }
  free(u);
  return 0;
}
