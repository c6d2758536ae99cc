#include <stdio.h>

#define N 200
#define STEPS 100

static float a[N][N], b[N][N];

static void smooth(int n, float u[n][n], float v[n][n])
{
  for (int t = 0; t < STEPS; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        v[i][j] = 0.2f * (u[i][j] + u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
    float (*tmp)[n] = u;
    u = v;
    v = tmp;
  }
}

int main(void)
{
  for (int i = 0; i < N; i++)
    a[i][0] = b[i][0] = 1.0f;
  smooth(N, a, b);
  printf("%.9g\n", a[N / 2][1]);
  return 0;
}
