/* Poisson's equation in a box, Gauss-Seidel with over-relaxation, fixed number of sweeps. */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define N 24

static float p[N][N][N];
static float rhs[N][N][N];

static void init(void)
{
  for (int k = 0; k < N; k++)
    for (int j = 0; j < N; j++)
      for (int i = 0; i < N; i++) {
        p[k][j][i] = 0.0f;
        rhs[k][j][i] = sinf(0.3f * i) * cosf(0.2f * j) + 0.01f * k;
      }
}

static void relax(float w, int sweeps)
{
  int s, i, j, k;
  for (s = 0; s < sweeps; ++s)
    for (k = 1; k < N - 1; ++k)
      for (j = 1; j < N - 1; ++j)
        for (i = 1; i < N - 1; ++i)
          p[k][j][i] = (1.0f - w) * p[k][j][i]
            + w / 6.0f * (p[k - 1][j][i] + p[k + 1][j][i] + p[k][j - 1][i] + p[k][j + 1][i]
                          + p[k][j][i - 1] + p[k][j][i + 1] - rhs[k][j][i]);
}

static double residual(void)
{
  double most = 0.0;
  for (int k = 1; k < N - 1; k++)
    for (int j = 1; j < N - 1; j++)
      for (int i = 1; i < N - 1; i++) {
        double r = p[k - 1][j][i] + p[k + 1][j][i] + p[k][j - 1][i] + p[k][j + 1][i]
          + p[k][j][i - 1] + p[k][j][i + 1] - 6.0f * p[k][j][i] - rhs[k][j][i];
        if (fabs(r) > most)
          most = fabs(r);
      }
  return most;
}

int main(int argc, char *argv[])
{
  int sweeps = argc > 1 ? atoi(argv[1]) : 12;

  init();
  printf("before: %.9e\n", residual());
  relax(1.5f, sweeps);
  printf("after:  %.9e\n", residual());
  for (int k = 2; k < N; k += 7)
    printf("%.9g %.9g\n", p[k][k][k], p[k][N / 2][3]);
  return 0;
}
