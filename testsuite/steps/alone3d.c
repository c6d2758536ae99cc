/* alone3d: The time loop prints, and what runs in kernels is all that another loop has, without braces.
 * hexcc-test: args=T run=0;1;3;8 warns=HX0107
 */
#include <stdio.h>
#include <stdlib.h>

enum { N = 13 };

static float b[N][N][N], d[N][N][N];

static void sweeps(int steps)
{
  int t, i, j, k;

  for (t = 0; t < steps; t++) {
    for (k = 0; k < N; k += 3)
      for (j = 0; j < N - 2; j++)
        for (i = 0; i < N; i++)
          b[i][j][k] = 0.9f * i;
    for (i = 0; i < N - 1; i++)
      for (j = 1; j < N; j++)
        for (k = 1; k < N; k++)
          d[i][j][k] = ((0.3f * d[i+1 > N-1 ? N-1 : i+1][j+1 > N-1 ? N-1 : j+1][k]) + (0.3f * d[i][j-1][k])) + (0.3f * j);
    if (t % 3 == 0)
      printf("%d %.9g\n", t, d[0][0][0]);
  }
}

int main(int argc, char **argv)
{
  double sum = 0;

  for (int i = 0; i < N * N * N; i++)
    ((float *)d)[i] = i * 7 % 11 / 11.0f;
  sweeps(argc > 1 ? atoi(argv[1]) : 4);
  for (int i = 0; i < N * N * N; i++)
    sum += (((float *)d)[i] + ((float *)b)[i]) * (i % 7);
  printf("%.15g\n", sum);
  return 0;
}
