/* componentsums2d: Sums into elements that a loop on the host chooses, between prints of the time loop.
 * hexcc-test: args=T run=0;1;4;9 warns=HX0107
 */
#include <stdio.h>
#include <stdlib.h>

#define N 40

static int now[N][N][3], before[N][N][3];
static long long total[3], most[2][3];

int main(int argc, char **argv)
{
  int steps = argc > 1 ? atoi(argv[1]) : 5;

  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < 3; k++)
        now[i][j][k] = (i * 7 + j * 3 + k) % 11 * 100;
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 0; k < 3; k++)
          before[i][j][k] = now[i][j][k];
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 0; k < 3; k++)
          now[i][j][k] = (before[i-1][j][k] + before[i+1][j][k] + before[i][j-1][k] + before[i][j+1][k]) / 4;
    for (int k = 0; k < 3; k++)
      total[k] = most[t % 2][k] = 0;
    for (int k = 0; k < 3; k++)
      for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
          total[k] += now[i][j][k] * (long long)(1 + (i + j) % 2);
    for (int k = 0; k < 3; k++)
      for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
          if (now[i][j][k] - before[i][j][k] > most[t % 2][2 - k])
            most[t % 2][2 - k] = now[i][j][k] - before[i][j][k];
    printf("%lld %lld %lld\n", total[0], total[1], total[2]);
    printf("%lld %lld %lld\n", most[t % 2][0], most[t % 2][1], most[t % 2][2]);
  }
  return 0;
}
