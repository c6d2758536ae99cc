/* settlerows2d: Rows that are allocated one by one, swapped until a change is small or steps are over, and looked at in both planes behind that.
 * hexcc-test: args=N,T run=5,1;20,2;20,3;33,17;40,18;40,35
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double **rows_of(int n)
{
  double **rows = malloc(sizeof *rows * n);
  if (!rows)
    exit(1);
  for (int i = 0; i < n; i++) {
    rows[i] = malloc(sizeof **rows * n);
    if (!rows[i])
      exit(1);
    for (int j = 0; j < n; j++)
      rows[i][j] = (i * 7 + j * 3) % 11;
  }
  return rows;
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 40, most = argc > 2 ? atoi(argv[2]) : 18, t = 0;
  double **u = rows_of(n), **v = rows_of(n), change, sum = 0, apart = 0;

  do {
    change = 0;
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++) {
        v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
        change = fmax(change, fabs(v[i][j] - u[i][j]));
      }
    double **held = u;
    u = v;
    v = held;
    t++;
  } while (t < most && change > 1e-9);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      sum += u[i][j] * (i % 11 + j);
      apart += (u[i][j] - v[i][j]) * (i % 5 + j % 3);
    }
  printf("%d %.17g %.17g %.17g\n", t, change, sum, apart);
  for (int i = 0; i < n; i++) {
    free(u[i]);
    free(v[i]);
  }
  free(u);
  free(v);
  return 0;
}
