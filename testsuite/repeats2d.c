/* repeats2d: A run that is repeated from the start, as for measurements: the time loop in it is tiled.
 * hexcc-test: args=T,R run=3,2;1,1;8,3;0,2;5,0 tile=h=1,w=2:4;h=3,w=3:16
 */
#include <stdio.h>
#include <stdlib.h>

#define N 50

static double a[N][N], b[N][N];

static void start(void)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = b[i][j] = (i * 7 + j * 3) % 13 * 0.25;
}

static void relax(int steps)
{
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        b[i][j] = 0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        a[i][j] = b[i][j];
  }
}

int main(int argc, char **argv)
{
  int T = argc > 1 ? atoi(argv[1]) : 8, R = argc > 2 ? atoi(argv[2]) : 3;
  double s = 0;

  for (int r = 0; r < R; r++) {
    start();
    relax(T);
  }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      s = s * 0.999 + a[i][j];
  printf("%.12e\n", s);
  return 0;
}
