/* masks2d: Bits of numbers below 0, as values, in conditions and in subscripts.
 * hexcc-test: args=T run=0;1;4;9 warns=HX0105
 */
#include <stdio.h>
#include <stdlib.h>

#define N 36

static double a[N][N], b[N][N], w[N + 4];
static int m[N][N];

int main(int argc, char **argv)
{
  int T = argc > 1 ? atoi(argv[1]) : 4;
  double sum = 0;

  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      a[i][j] = b[i][j] = (i * 31 + j * 17) % 101;
      m[i][j] = (i * 7 + j * 3) % 23 - 11;
    }
  for (int i = 0; i < N + 4; i++)
    w[i] = i * 0.5;
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++) {
        b[i][j] = 0.25 * (a[i-1][j] + a[i+1][j] + a[i][j-1] + a[i][j+1]) + ((i - 20) & 3) + (m[i][j] & 7) + w[((j - 9) & 3) + i];
        if ((i - j) & 2)
          b[i][j] += 1;
      }
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        a[i][j] = b[i][j];
  }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += a[i][j] * (i + 2 * j + 1);
  printf("%.17g\n", sum);
  return 0;
}
