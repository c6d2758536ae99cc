#include <stdio.h>
#include <stdlib.h>

static float **rows(int n)
{
  float **a = malloc(n * sizeof *a);
  for (int i = 0; i < n; i++) a[i] = calloc(n, sizeof **a);
  return a;
}

int main(void)
{
  int n = 300;
  float **u = rows(n), **v = rows(n), **tmp;
  u[n / 2][n / 2] = 1000.0f;
  for (int t = 0; t < 200; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        v[i][j] = 0.25f * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
    tmp = u;
    u = v;
    v = tmp;
  }
  printf("%.9g\n", u[n / 2][n / 2]);
}
