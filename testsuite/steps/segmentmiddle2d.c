/* segmentmiddle2d: A time loop that prints in the middle of every so many steps runs in segments that end before these, which stand as they are.
 * hexcc-test: args=N,T,EVERY,LAST run=40,45,10,99;33,60,7,40;70,30,5,22;12,5,100,9;3,0,5,1;2,9,4,3 warns=HX0107
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void report(int n, int k, double t, double u[n][n])
{
  unsigned long long hash = 0;

  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      hash = hash * 31 + (unsigned long long)(u[i][j] * 1e9);
  printf("%4d %g %llx %a\n", k, t, hash, u[n / 2][n / 3]);
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 40, steps = argc > 2 ? atoi(argv[2]) : 45;
  const int every = argc > 3 ? atoi(argv[3]) : 10, last = argc > 4 ? atoi(argv[4]) : 99;
  double (*u)[n] = malloc(sizeof(double[n][n])), (*w)[n] = malloc(sizeof(double[n][n]));
  double t = 0, dt = 0.125;
  int k;

  if (!u || !w)
    return 1;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      u[i][j] = w[i][j] = (i * 13 + j * 7) % 29 / 3.0;
  for (k = 0; k < steps; k++) { /* the time loop */
    double s = sin(t);

    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        w[i][j] = 0.2 * (u[i][j] + u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]) + s * s;
    if (k % every == 3) { // between the two sweeps
      report(n, k, t, w);
      if (k > last)
        break;
      dt *= 0.75;
    }
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        u[i][j] = w[i][j] + 0.5 * dt;
    if (k == last) // with a declaration of its own
      report(n, -k, t + s, u);
    t += dt;
  }
  report(n, k, t, u);
  free(u);
  free(w);
  return 0;
}
