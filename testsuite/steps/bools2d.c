/* bools2d: Life with truth values, and truth values that numbers become.
 * hexcc-test: args=N,T run=3,2;20,5;65,40;97,9
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static void live(int n, int m, bool a[n][m], bool b[n][m])
{
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++) {
      int k = a[i-1][j-1] + a[i-1][j] + a[i-1][j+1] + a[i][j-1] + a[i][j+1] + a[i+1][j-1] + a[i+1][j] + a[i+1][j+1];

      b[i][j] = k == 3 || (k == 2 && a[i][j]);
    }
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 65, steps = argc > 2 ? atoi(argv[2]) : 40, m = n + 5;
  bool (*a)[m] = malloc(sizeof(bool[n][m])), (*b)[m] = malloc(sizeof(bool[n][m]));
  double (*x)[m] = malloc(sizeof(double[n][m])), sum = 0;

  if (!a || !b || !x)
    return 1;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      a[i][j] = b[i][j] = (i * 7 + j * 3) % 5 < 2;
      x[i][j] = (i * 3 + j) % 4 * 0.5;
    }
  for (int t = 0; t < steps; t++) {
    live(n, m, a, b);
    bool (*old)[m] = a;

    a = b;
    b = old;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      b[i][j] = x[i][j] - 0.5;
      b[i][j] ^= (bool)(i & j);
      x[i][j] += a[i][j] + 2 * b[i][j];
    }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      sum += x[i][j] * (i + 2 * j) + a[i][j];
  printf("%.17g\n", sum);
  free(a);
  free(b);
  free(x);
  return 0;
}
