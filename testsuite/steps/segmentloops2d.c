/* segmentloops2d: Segments that the program has itself: rounds of steps, and a print between them.
 * hexcc-test: args=N,T run=40,3;7,1;64,5;33,0 warns=HX0107
 */
#include <stdio.h>
#include <stdlib.h>

static double u[2][200][200];

static unsigned long long hash(int n, int plane)
{
  unsigned long long sum = 0;

  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      sum = sum * 33 + (unsigned long long)(u[plane][i][j] * 1e6);
  return sum;
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 50, rounds = argc > 2 ? atoi(argv[2]) : 3;

  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      u[0][i][j] = u[1][i][j] = (i * 7 + j * 3) % 11;
  for (int s = 0; s < rounds; s++) {
    for (int t = 0; t < 20; t++)
      for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
          u[(t + 1) % 2][i][j] = 0.2 * (u[t % 2][i][j] + u[t % 2][i - 1][j] + u[t % 2][i + 1][j]
                                        + u[t % 2][i][j - 1] + u[t % 2][i][j + 1]);
    printf("%d %llx\n", s, hash(n, 0));
    u[0][n / 2][n / 2] += 1.5;
  }
  return 0;
}
