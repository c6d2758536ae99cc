#include <stdio.h>
#include <string.h>

#define N 300
static float u[N][N], v[N][N];

int main(void)
{
  u[N / 2][N / 2] = 1000.0f;
  for (int t = 0; t < 200; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        v[i][j] = 0.25f * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
    memcpy(u, v, sizeof u);
  }
  printf("%.9g\n", u[N / 2][N / 2]);
}
