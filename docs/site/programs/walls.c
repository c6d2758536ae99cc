#include <stdio.h>

#define N 300
static float u[N + 2][N + 2], v[N + 2][N + 2];

int main(void)
{
  u[N / 2][N / 2] = 1000.0f;
  for (int t = 0; t < 200; t++) {
    for (int j = 1; j <= N; j++) {
      u[0][j] = u[1][j];
      u[N + 1][j] = u[N][j];
    }
    for (int i = 1; i <= N; i++) {
      u[i][0] = u[i][1];
      u[i][N + 1] = u[i][N];
    }
    for (int i = 1; i <= N; i++)
      for (int j = 1; j <= N; j++)
        v[i][j] = 0.25f * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
    for (int i = 1; i <= N; i++)
      for (int j = 1; j <= N; j++)
        u[i][j] = v[i][j];
  }
  printf("%.9g\n", u[N / 2][N / 2]);
}
