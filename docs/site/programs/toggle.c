#include <stdio.h>

#define N 300
static float u[2][N][N];

int main(void)
{
  int now = 0;
  u[0][N / 2][N / 2] = 1000.0f;
  for (int t = 0; t < 200; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        u[1 - now][i][j] = 0.25f * (u[now][i - 1][j] + u[now][i + 1][j]
                                    + u[now][i][j - 1] + u[now][i][j + 1]);
    now = 1 - now;
  }
  printf("%.9g\n", u[now][N / 2][N / 2]);
}
