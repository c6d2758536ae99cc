/* Two materials in functions of their own, each with its time loop, called one after the other. */
#include <stdio.h>
#include <math.h>

#define N 64

static float a[N][N], b[N][N];
static float c[N][N], d[N][N];

static void copper(int steps)
{
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        b[i][j] = a[i][j] + 0.2f * (a[i-1][j] + a[i+1][j] + a[i][j-1] + a[i][j+1] - 4.0f * a[i][j]);
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        a[i][j] = b[i][j];
  }
}

static void wood(int steps)
{
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        d[i][j] = c[i][j] + 0.01f * (c[i-1][j] + c[i+1][j] - 2.0f * c[i][j])
          + 0.05f * (c[i][j-1] + c[i][j+1] - 2.0f * c[i][j]);
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        c[i][j] = d[i][j];
  }
}

int main(void)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = c[i][j] = 20.0f + 5.0f * sinf(0.3f * i) * cosf(0.2f * j);
  copper(40);
  wood(70);
  printf("%.7f %.7f\n", a[N / 2][N / 3], c[N / 2][N / 3]);
  printf("%.7f %.7f\n", a[3][7], c[3][7]);
  return 0;
}
