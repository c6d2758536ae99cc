#include <math.h>
#include <stdio.h>

#define N 300
static float u[2][N][N];

int main(void)
{
  float change = 1.0f;
  int steps = 0;
  for (int i = 0; i < N; i++) u[0][i][0] = u[1][i][0] = 100.0f;
  while (change > 0.01f && steps < 5000) {
    for (int t = 0; t < 100; t++)
      for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
          u[(t + 1) % 2][i][j] = 0.25f * (u[t % 2][i - 1][j] + u[t % 2][i + 1][j]
                                          + u[t % 2][i][j - 1] + u[t % 2][i][j + 1]);
    change = 0.0f;
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        change = fmaxf(change, fabsf(u[0][i][j] - u[1][i][j]));
    steps += 100;
  }
  printf("%d steps, %.9g\n", steps, u[0][N / 2][N / 2]);
}
