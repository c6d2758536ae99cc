#include <stdio.h>

#define N 300
static float u[N][N];

int main(void)
{
  for (int i = 0; i < N; i++) u[i][0] = 100.0f;
  for (int t = 0; t < 200; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1 + i % 2; j < N - 1; j += 2)
        u[i][j] = 0.25f * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
    for (int i = 1; i < N - 1; i++)
      for (int j = 2 - i % 2; j < N - 1; j += 2)
        u[i][j] = 0.25f * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
  }
  printf("%.9g\n", u[N / 2][N / 2]);
}
