/* headermacros2d: Macros of a header change an index variable and print the iterator behind the time loop.
 */
#include <stdio.h>
#include <stdlib.h>
#include "headermacros2d.h"

static double a[30 * 40], b[30 * 40];

int main(int argc, char **argv)
{
  int T = argc > 1 ? atoi(argv[1]) : 4, n = 40, t, last = 0;
  double sum = 0;

  for (int i = 0; i < 30 * 40; i++)
    a[i] = b[i] = i * 7 % 11;
  for (t = 0; t < T; t++) {
    for (int i = 1; i < 29; i++)
      for (int j = 1; j < n - 2; j++) {
        int c = i * n + j;
        NEXT_CELL;
        b[c] = 0.25 * (a[c - n] + a[c + n] + a[c - 1] + a[c + 1]);
      }
    for (int i = 1; i < 29; i++)
      for (int j = 1; j < n - 1; j++)
        a[i * n + j] = b[i * n + j];
  }
  last = t / 2;
  REPORT;
  for (int i = 0; i < 30 * 40; i++)
    sum += a[i] * (i % 7);
  printf("%.17g\n", sum);
  return 0;
}
