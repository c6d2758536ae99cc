/* planes2d: Planes that numbers choose, in turn or as the caller says: where two are one plane, C's own loops run.
 * hexcc-test: args=M,N,T run=4,4,3;9,12,5;33,16,7 warns=HX0107
 */
#include <stdio.h>
#include <stdlib.h>

#define MOST 64

static double q[3][MOST][MOST];

static void smooth(int m, int n, int from, int to)
{
  for (int i = 1; i < m - 1; i++)
    for (int j = 1; j < n - 1; j++)
      q[to][i][j] = 0.25 * (q[from][i-1][j] + q[from][i+1][j] + q[from][i][j-1] + q[from][i][j+1]);
}

static void leap(int m, int n, int old, int now, int next)
{
  int i, j;

  for (i = 1; i < m - 1; i++)
    for (j = 1; j < n - 1; j++)
      q[next][i][j] = q[old][i][j] + 0.125 * (q[now][i][j+1] - q[now][i][j-1]);
}

int main(int argc, char **argv)
{
  int m = argc > 1 ? atoi(argv[1]) : 20, n = argc > 2 ? atoi(argv[2]) : 30, steps = argc > 3 ? atoi(argv[3]) : 5;
  int old = 0, now = 1, next = 2;
  unsigned long long hash = 14695981039346656037ull;

  if (m > MOST || n > MOST)
    return 1;
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++)
        q[k][i][j] = (i * 31 + j * 17 + k * 7) % 101 * 0.1;
  for (int t = 0; t < steps; t++) {
    int oldest = old;

    leap(m, n, old, now, next);
    smooth(m, n, next, old);
    smooth(m, n, now, now);
    leap(m, n, next, old, next);
    leap(m, n, old, now, now);
    old = now;
    now = next;
    next = oldest;
    printf("%.17g\n", q[now][m / 2][n / 2]);
  }
  for (int k = 0; k < 3; k++)
    for (size_t b = 0; b < sizeof q[k]; b++)
      hash = (hash ^ ((unsigned char *)q[k])[b]) * 1099511628211ull;
  printf("%016llx\n", hash);
  return 0;
}
