/* settletwice2d: Two loops that end when their cells say so, in functions of their own, and one that reports between them.
 * hexcc-test: args=N,T run=3,2;20,5;65,40;90,150
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Steps until no cell changes by more than the tolerance. */
static int settle(int n, float (*u)[n], float (*v)[n], float tolerance, int most)
{
  float change = 2 * tolerance;
  int steps = 0;

  while (change > tolerance && steps < most) {
    change = 0;
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++) {
        v[i][j] = 0.25f * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
        change = fmaxf(change, fabsf(v[i][j] - u[i][j]));
      }
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        u[i][j] = v[i][j];
    steps++;
  }
  return steps;
}

/* Steps until fewer than so many cells grow by much. */
static int fill(int n, float (*u)[n], float (*v)[n], int few, int most)
{
  int grown, steps = 0;

  do {
    grown = 0;
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++) {
        v[i][j] = 0.5f * u[i][j] + 0.125f * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
        if (v[i][j] > u[i][j] + 2e-5f)
          grown++;
      }
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        u[i][j] = v[i][j];
    steps++;
  } while (grown >= few && steps < most);
  return steps;
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 65, most = argc > 2 ? atoi(argv[2]) : 40;
  float (*u)[n] = malloc(sizeof(float[n][n])), (*v)[n] = malloc(sizeof(float[n][n]));
  double sum = 0;

  if (!u || !v)
    return 1;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      u[i][j] = v[i][j] = (i * 7 + j * 13) % 31 * 0.1f;
  printf("%d steps\n", settle(n, u, v, 3e-3f, most));
  for (int t = 0; t < most; t++) {
    if (t % 16 == 0)
      printf("at %d: %.9g\n", t, u[n / 3][n / 4]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        v[i][j] = u[i][j] + 0.1f * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - 4 * u[i][j]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        u[i][j] = v[i][j];
  }
  printf("%d steps\n", fill(n, u, v, n / 2, most));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      sum += u[i][j] * (i + 2 * j);
  printf("%.17g\n", sum);
  free(u);
  free(v);
  return 0;
}
