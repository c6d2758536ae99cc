/* everyten2d: Solvers that look at their change in every tenth step, in small arrays and in large ones; a largest change that is printed alone.
 * hexcc-test: args=T run=5;12;40;95
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define N 24
#define M 70

static double u[N][N], v[N][N];
static float p[M][M], q[M][M];

int main(int argc, char **argv)
{
  int most = argc > 1 ? atoi(argv[1]) : 40, t, n_tests = 0;
  double change = -1, now = 0, last = 0, sum = 0;
  float(*a)[M] = p, (*b)[M] = q, (*c)[M], worst = 0;

  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      u[i][j] = v[i][j] = i == 0 ? 10 : j == 0 ? 3 : (i * j) % 4;
  for (int i = 0; i < M; i++)
    for (int j = 0; j < M; j++)
      p[i][j] = q[i][j] = (i * 7 + j * 3) % 13;

  for (t = 1; t <= most; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
    if (t % 10 == 0) {
      change = 0;
      for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
          change = fmax(change, fabs(v[i][j] - u[i][j]));
    }
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        u[i][j] = v[i][j];
    now += 0.1;
    if (t % 10 == 0) {
      printf("%d %.17g\n", t, change);
      if (change < 0.05)
        break;
    }
  }
  printf("%d %.17g %.17g\n", t, change, now);

  for (t = 0; t < most; t++) {
    for (int i = 1; i < M - 1; i++)
      for (int j = 1; j < M - 1; j++)
        b[i][j] = 0.5f * a[i][j] + 0.125f * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
    if ((t + 1) % 10 == 0) {
      float largest = 0, scale = 2;
      for (int i = 1; i < M - 1; i++)
        for (int j = 1; j < M - 1; j++)
          if (fabsf(b[i][j] - a[i][j]) > largest)
            largest = fabsf(b[i][j] - a[i][j]);
      worst = scale * largest;
      n_tests++;
      if (worst < 0.5f)
        break;
    }
    c = a;
    a = b;
    b = c;
  }
  printf("%d %d %.9g %.9g %.9g\n", t, n_tests, worst, a[5][6], b[5][6]);

  for (t = 0; t < most; t++) {
    last = 0;
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++) {
        v[i][j] = 0.2 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] + u[i][j]);
        double d = fabs(v[i][j] - u[i][j]);
        last = d > last ? d : last;
      }
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        u[i][j] = v[i][j];
  }
  printf("%.17g\n", last);

  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += u[i][j] * (i + 2 * j);
  printf("%.17g\n", sum);
  return 0;
}
