#include <stdio.h>

#define N 300
static float u[2][N][N];
static int up[N], down[N];

int main(void)
{
  for (int i = 0; i < N; i++) up[i] = i - 1, down[i] = i + 1;
  u[0][N / 2][N / 2] = 1000.0f;
  for (int t = 0; t < 200; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        u[(t + 1) % 2][i][j] = 0.25f * (u[t % 2][up[i]][j] + u[t % 2][down[i]][j]
                                        + u[t % 2][i][j - 1] + u[t % 2][i][j + 1]);
  printf("%.9g\n", u[0][N / 2][N / 2]);
}
