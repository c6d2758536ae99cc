/* enumstep2d: Host code that counts variables of enumerations up and down.
 * hexcc-test: args=T run=0;1;7 warns=HX0203 flags=--tiling,stepwise
 */
#include <stdio.h>
#include <stdlib.h>

enum field { EX, EY, HZ, FIELDS };
typedef enum { FIRST, SECOND, LAST } pass_t;

static float f[FIELDS][40][40];

static void fill(float *p, int n, float x)
{
  for (int i = 0; i < n; i++)
    p[i] = x * (i % 7);
}

static void run(int T)
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < 39; i++)
      for (int j = 1; j < 39; j++)
        f[EX][i][j] += 0.5f * (f[HZ][i][j] - f[HZ][i][j-1]);
    for (int i = 1; i < 39; i++)
      for (int j = 1; j < 39; j++)
        f[EY][i][j] -= 0.5f * (f[HZ][i][j] - f[HZ][i-1][j]);
    for (int i = 1; i < 39; i++)
      for (int j = 1; j < 39; j++)
        f[HZ][i][j] += 0.7f * (f[EX][i][j+1] - f[EX][i][j] - f[EY][i+1][j] + f[EY][i][j]);
  }
#pragma endscop
}

int main(int argc, char **argv)
{
  int T = argc > 1 ? atoi(argv[1]) : 10;
  double sum = 0;

  for (enum field k = EX; k < FIELDS; k++)
    fill(&f[k][0][0], 1600, k + 1);
  run(T);
  for (pass_t p = LAST; p > FIRST; --p)
    for (enum field k = EX; k < FIELDS; k += 1)
      sum += f[k][30][30 + p] * p;
  printf("%.17g\n", sum);
  return 0;
}
