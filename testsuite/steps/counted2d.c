/* counted2d: Counts, sums and maxima under conditions on data are reductions.
 * hexcc-test: args=T run=0;1;5 warns=HX0107
 */
#include <stdio.h>
#include <stdlib.h>

#define N 200

static int a[N][N], b[N][N];
static double d[N][N];

int main(int argc, char **argv)
{
  int steps = argc > 1 ? atoi(argv[1]) : 5;
  int changes = 0, most = -5, both = 0;
  long total = 0;
  unsigned bits = 0;

  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      a[i][j] = (i * 7 + j * 13) % 31 - 3;
      b[i][j] = (i * 5 + j) % 29;
      d[i][j] = 0.25 * ((i * 3 + j) % 17) - 1;
    }
  for (int t = 0; t < steps; t++) {
    changes = 0;
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++) {
        if (a[i][j] != b[i][j])
          changes++;
        if (b[i][j] > 3) {
          total += a[i][j] * (long)j;
          if (a[i][j] > most)
            most = a[i][j];
        }
        if (a[i][j] > 0)
          ;
        else
          both -= b[i][j] + i;
        if (d[i][j])
          bits |= a[i][j];
        a[i][j] = a[i][j] + b[i][j] % 3;
      }
    printf("%d %d %ld %d %u\n", changes, most, total, both, bits);
  }
  printf("%d %d %ld %d %u\n", changes, most, total, both, bits);
  return 0;
}
