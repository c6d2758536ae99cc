/* Leapfrog advection of a cone around the centre, planes chosen by three toggling indices. */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define N 64

static double q[3][N + 2][N + 2];
static double cx[N + 2][N + 2], cy[N + 2][N + 2];

int main(int argc, char **argv)
{
  int nsteps = (argc > 1) ? atoi(argv[1]) : 60;
  int old = 0, now = 1, new = 2, i, j, n;
  double h = 1.0 / N, dt = 0.25 * h, total;

  for (i = 0; i <= N + 1; ++i)
  {
    for (j = 0; j <= N + 1; ++j)
    {
      double x = (i - 0.5) * h - 0.5, y = (j - 0.5) * h - 0.5;
      double r = sqrt((x + 0.25) * (x + 0.25) + y * y);

      cx[i][j] = -2.0 * y * dt / h;
      cy[i][j] = 2.0 * x * dt / h;
      q[old][i][j] = r < 0.15 ? 1.0 - r / 0.15 : 0.0;
      q[now][i][j] = q[old][i][j];
      q[new][i][j] = 0.0;
    }
  }

  for (n = 0; n < nsteps; ++n)
  {
    int swap;

    for (i = 1; i <= N; ++i)
    {
      for (j = 1; j <= N; ++j)
      {
        q[new][i][j] = q[old][i][j]
                     - cx[i][j] * (q[now][i + 1][j] - q[now][i - 1][j])
                     - cy[i][j] * (q[now][i][j + 1] - q[now][i][j - 1]);
      }
    }
    /* Robert-Asselin filter */
    for (i = 1; i <= N; ++i)
    {
      for (j = 1; j <= N; ++j)
      {
        q[now][i][j] += 0.05 * (q[old][i][j] - 2.0 * q[now][i][j] + q[new][i][j]);
      }
    }
    swap = old;
    old = now;
    now = new;
    new = swap;
  }

  total = 0.0;
  for (i = 1; i <= N; ++i)
    for (j = 1; j <= N; ++j)
      total += q[now][i][j] * q[now][i][j];
  printf("%d steps: sum of squares %.12e, q(1/4,1/2) %.12e\n", nsteps, total, q[now][N / 4][N / 2]);
  return 0;
}
