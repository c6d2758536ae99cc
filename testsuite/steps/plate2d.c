/* plate2d: A heated plate until nothing changes: arrays of the file, a maximum and a count that end the loop.
 * hexcc-test: args=M,T run=3,2;20,5;65,40;130,9 warns=HX0105
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST 140

static double w[MOST][MOST], u[MOST][MOST];
static int hot[4];

int main(int argc, char **argv)
{
  int m = argc > 1 ? atoi(argv[1]) : 65, most = argc > 2 ? atoi(argv[2]) : 40;
  int i, j, steps = 0, count = 1, cold = 0;
  double change = 1.0, tolerance = 1e-3;

  if (m > MOST)
    return 1;
  for (i = 0; i < m; i++)
    for (j = 0; j < m; j++)
      w[i][j] = i == 0 ? 100.0 : (i * 31 + j * 17) % 101 * 0.1;
  while (tolerance <= change && count > 0 && steps < most) {
    for (i = 0; i < m; i++)
      for (j = 0; j < m; j++)
        u[i][j] = w[i][j];
    change = 0.0;
    count = 0;
    for (i = 1; i < m - 1; i++)
      for (j = 1; j < m - 1; j++) {
        w[i][j] = (u[i-1][j] + u[i+1][j] + u[i][j-1] + u[i][j+1]) / 4.0;
        change = fabs(w[i][j] - u[i][j]) > change ? fabs(w[i][j] - u[i][j]) : change;
        count += w[i][j] > 5.0;
        cold += w[i][j] < 1.0;
      }
    hot[steps % 4] = count;
    steps++;
  }
  printf("%d steps, %.17g, %d %d %d %d %d, %.17g\n", steps, change, cold, hot[0], hot[1], hot[2], hot[3], w[m / 2][m / 2]);
  return 0;
}
