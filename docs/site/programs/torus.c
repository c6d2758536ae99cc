#include <stdio.h>

#define N 300
static float u[2][N][N];

int main(void)
{
  u[0][0][0] = 1000.0f;
  for (int t = 0; t < 200; t++)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        u[(t + 1) % 2][i][j] = 0.25f * (u[t % 2][(i + 1) % N][j] + u[t % 2][(i + N - 1) % N][j]
                                        + u[t % 2][i][(j + 1) % N] + u[t % 2][i][(j + N - 1) % N]);
  printf("%.9g\n", u[0][0][0]);
}
