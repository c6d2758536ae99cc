/* marks2d: Nests that mark what they see: numbers that are set under a condition or under two, the last place and value that hold one, as bool, char, int, unsigned, long, float and double.
 * hexcc-test: args=N,T run=3,2;20,3;65,12;300,4
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 65, steps = argc > 2 ? atoi(argv[2]) : 12;
  double (*u)[n] = malloc(sizeof(double[n][n])), (*v)[n] = malloc(sizeof(double[n][n]));
  int calm, row = -1, side = 0;
  unsigned seen = 9;
  long last = -5;
  float mark = -0.0f;
  double where = 0.5;
  bool high = false;
  signed char low = 1;

  if (!u || !v)
    return 1;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      u[i][j] = v[i][j] = (i * 7 + j * 3) % 11;
  for (int t = 0; t < steps; t++) {
    printf("%.17g\n", u[n / 2][n / 3] + t);
    calm = 1;
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++) {
        v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
        if (v[i][j] > 5.5)
          calm = 0;
        if (v[i][j] > 5.25)
          row = i;
        if (v[i][j] > 5.2)
          where = v[i][j];
        if (v[i][j] > 5.7)
          mark = 0;
        if (v[i][j] > 9)
          seen = 3;
        if (v[i][j] < 4.9)
          last = (long)i * n + j;
        if (u[i][j] > 50)
          side = 2;
        if (u[i][j] < -50)
          side = 1;
        if (u[i][j] > 5.625)
          high = true;
        if (v[i][j] < 4.75)
          low = -7;
      }
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        u[i][j] = v[i][j];
    printf("%d %d %.17g %g %u %ld %d %d %d\n", calm, row, where, mark, seen, last, side, high, low);
    high = t % 2;
    u[n / 2][n / 2] += calm;
    u[n / 2][n - 2] = 90;
    u[n / 2 + 1][1] = -90;
  }
  free(u);
  free(v);
  return 0;
}
