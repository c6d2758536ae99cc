/* segmentsource2d: The host writes a source into the array before every so many steps, and prints behind others.
 * hexcc-test: args=N,T run=40,45;33,26;64,7;10,100;20,1 warns=HX0107
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 300 };

static double ez[MOST][MOST], hx[MOST][MOST], hy[MOST][MOST];

static double pulse(int t)
{
  double x = (t - 20) / 6.0;
  printf("pulse at %d\n", t);
  return exp(-x * x);
}

static void step(int n)
{
  for (int i = 0; i < n - 1; i++)
    for (int j = 0; j < n - 1; j++) {
      hx[i][j] = hx[i][j] - 0.5 * (ez[i][j + 1] - ez[i][j]);
      hy[i][j] = hy[i][j] + 0.5 * (ez[i + 1][j] - ez[i][j]);
    }
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      ez[i][j] = ez[i][j] + 0.5 * (hy[i][j] - hy[i - 1][j] - hx[i][j] + hx[i][j - 1]);
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 40, steps = argc > 2 ? atoi(argv[2]) : 45;

  for (int t = 0; t < steps; t += 1) {
    if (t % 8 == 0)
      ez[n / 2][n / 2] = pulse(t);
    if (t == 13 || t == 14) {
      ez[3][4] = 1.0;
      if (pulse(t) > 2)
        continue;
    }
    step(n);
    if (t % 5 == 3)
      printf("%d: %a %a\n", t, ez[n / 2][n / 2 + 1], hx[n / 2 - 2][n / 2]);
  }
  for (int i = 0; i < n; i++)
    printf("%a %a %a\n", ez[i][n / 3], hx[i][n / 2], hy[i][n - 2]);
  return 0;
}
