#include <stdio.h>

#define N 300
static float u[N][N], v[N][N];

int main(void)
{
  float change = 2.0f;
  int steps = 0;
  for (int i = 0; i < N; i++) u[i][0] = v[i][0] = 100.0f;
  while (change > 1.0f && steps < 5000) {
    change = 0.0f;
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++) {
        v[i][j] = 0.25f * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
        change += (v[i][j] - u[i][j]) * (v[i][j] - u[i][j]);
      }
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        u[i][j] = v[i][j];
    steps++;
  }
  printf("%d steps, %.9g\n", steps, u[N / 2][N / 2]);
}
