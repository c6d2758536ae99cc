/* stateful2d: A helper that counts its calls in a static variable is no function of its arguments; the nest that
 * calls it stays on the host, the other one runs.
 * hexcc-test: args=T run=0;1;4 warns=HX0107
 */
#include <stdio.h>
#include <stdlib.h>

#define N 50

static double u[N][N], v[N][N];

static double noisy(double x)
{
  static int n_calls = 0;
  static const double scales[2] = { 0.25, 0.5 };

  n_calls++;
  return x * scales[n_calls % 2];
}

int main(int argc, char **argv)
{
  int T = argc > 1 ? atoi(argv[1]) : 3;
  double sum = 0;

  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      u[i][j] = v[i][j] = (i * 3 + j) % 7;
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        v[i][j] = noisy(u[i-1][j] + u[i+1][j]);
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        u[i][j] = v[i][j];
  }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += u[i][j];
  printf("%.17g\n", sum);
  return 0;
}
