#include <stdio.h>

#define N 300
struct cell {
  float heat, rate;
};
static struct cell now[N][N], next[N][N];

int main(void)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) now[i][j].rate = next[i][j].rate = 0.1f + 0.1f * (i % 2);
  now[N / 2][N / 2].heat = 1000.0f;
  for (int t = 0; t < 200; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        next[i][j].heat = now[i][j].heat + now[i][j].rate * (now[i - 1][j].heat + now[i + 1][j].heat - 2.0f * now[i][j].heat);
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        now[i][j].heat = next[i][j].heat;
  }
  printf("%.9g\n", now[N / 2][N / 2].heat);
}
