/* innersweeps2d: A time step with sweeps that are tiled by themselves, and more beside them.
 * hexcc-test: args=T run=0;1;5 warns=HX0203
 */
#include <stdio.h>
#include <stdlib.h>

#define N 61

static double p[N][N], q[N][N], w[N][N];

static void relax(int sweeps)
{
  for (int s = 0; s < sweeps; s++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        q[i][j] = 0.25 * (p[i + 1][j] + p[i - 1][j] + p[i][j + 1] + p[i][j - 1] + w[i][j]);
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        p[i][j] = q[i][j];
  }
}

static void walls(double lid)
{
  for (int k = 1; k < N - 1; k++) {
    w[0][k] = -2.0 * p[1][k];
    w[N - 1][k] = -2.0 * p[N - 2][k];
    w[k][0] = -2.0 * p[k][1];
    w[k][N - 1] = -2.0 * p[k][N - 2] - 2.0 * lid;
  }
}

static void move(double dt)
{
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++)
      q[i][j] = w[i][j];
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++)
      w[i][j] = 0.9 * q[i][j] + dt * (p[i][j + 1] - p[i][j - 1]) * (w[0][j] - w[i][N - 1]);
}

int main(int argc, char **argv)
{
  int T = argc > 1 ? atoi(argv[1]) : 5;
  double time = 0, s = 0;

  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      w[i][j] = (i * 5 + j * 3) % 11 * 0.0625;
  for (int t = 0; t < T; t++) {
    relax(7);
    walls(0.5);
    move(0.01);
    time += 0.01;
  }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      s = s * 0.999 + w[i][j] + p[i][j] * (j % 7);
  printf("%.12e %.6f\n", s, time);
  return 0;
}
