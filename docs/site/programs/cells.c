#include <stdio.h>

#define N 300
static float heat[N][N], next[N][N], rate[N][N];

int main(void)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) rate[i][j] = 0.1f + 0.1f * (i % 2);
  heat[N / 2][N / 2] = 1000.0f;
  for (int t = 0; t < 200; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        next[i][j] = heat[i][j] + rate[i][j] * (heat[i - 1][j] + heat[i + 1][j] - 2.0f * heat[i][j]);
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        heat[i][j] = next[i][j];
  }
  printf("%.9g\n", heat[N / 2][N / 2]);
}
