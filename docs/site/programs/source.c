#include <math.h>
#include <stdio.h>

#define N 300
static float u[2][N][N];

int main(void)
{
  for (int t = 0; t < 200; t++) {
    u[t % 2][N / 2][N / 2] += sinf(0.1f * t);
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        u[(t + 1) % 2][i][j] = 0.25f * (u[t % 2][i - 1][j] + u[t % 2][i + 1][j]
                                        + u[t % 2][i][j - 1] + u[t % 2][i][j + 1]);
  }
  printf("%.9g\n", u[0][N / 2][N / 2]);
}
