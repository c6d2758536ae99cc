/* halves2d: Half steps that swap planes each: by a function, by a macro with a comma, three stages a step; then cells in short words:
 * commas, `%=`, `<<=`.
 * hexcc-test: args=T run=0;1;6;17
 */
#include <stdio.h>
#include <stdlib.h>

#define TURN(a, b) (held = a, a = b, b = held)

static void swap(double **a, double **b)
{
  double *t = *a;
  *a = *b;
  *b = t;
}

static void along_rows(int n, int m, double c, const double *u, double *v)
{
  for (int i = 0; i < n; i++)
    for (int j = 1; j < m - 1; j++)
      v[i * m + j] = u[i * m + j] + c * (u[i * m + j - 1] - 2 * u[i * m + j] + u[i * m + j + 1]);
}

static void along_columns(int n, int m, double c, const double *u, double *v)
{
  for (int i = 1; i < n - 1; i++)
    for (int j = 0; j < m; j++)
      v[i * m + j] = u[i * m + j] + c * (u[(i - 1) * m + j] - 2 * u[i * m + j] + u[(i + 1) * m + j]);
}

int main(int argc, char **argv)
{
  int steps = argc > 1 ? atoi(argv[1]) : 9, n = 60 + steps % 5, m = 75 - steps % 4;
  double *u = malloc(sizeof(double) * n * m), *v = malloc(sizeof(double) * n * m), sum = 0;
  int *kind = malloc(sizeof(int) * n * m), *next = malloc(sizeof(int) * n * m);

  for (int k = 0; k < n * m; k++) {
    u[k] = v[k] = k * 31 % 23;
    kind[k] = next[k] = k * k % 13;
  }
  for (int t = 0; t < steps; t++) {
    along_rows(n, m, 0.2, u, v);
    swap(&u, &v);
    along_columns(n, m, 0.2, u, v);
    swap(&u, &v);
  }
  for (int t = 0; t < steps; t++) {
    double *held;
    along_rows(n, m, 0.1, u, v);
    TURN(u, v);
    along_columns(n, m, 0.2, u, v);
    TURN(u, v);
    along_rows(n, m, 0.1, u, v);
    TURN(u, v);
  }
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++) {
        int k = i * m + j, wanted = kind[k] + 1, odd = +kind[k - 1];
        wanted %= 14;
        odd ^= 1, odd <<= 1;
        next[k] = kind[k - m] == wanted || kind[k + 1] == wanted ? wanted : (kind[k] + (odd & 6)) % 14;
      }
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++)
        kind[i * m + j] = next[i * m + j];
  }
  for (int k = 0; k < n * m; k++)
    sum += u[k] * (1 + k % 13) + v[k] * (k % 3) + kind[k] * (k % 17);
  printf("%.17g\n", sum);
  return 0;
}
