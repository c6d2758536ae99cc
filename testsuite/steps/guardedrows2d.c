/* guardedrows2d: Rows by pointer under a condition on data, some of which do not exist.
 * hexcc-test: args=T,KIND run=0,0;3,0;3,1;2,2 warns=HX0107
 *
 * With KIND 1 the pointers to rows that C does not touch are null, with 2 their table is too short.
 * C with OpenMP does not know what memory there is, and leaves that nest as it is.
 */
#include <stdio.h>
#include <stdlib.h>

static void step(int n, int m, double **mask, double **a, double **b)
{
  for (int i = 0; i < n; i++)
    for (int j = 1; j < m; j++)
      if (mask[i][j] > 0.5)
        a[i][j] += 0.5 * b[i][j - 1];
}

static void fade(int n, int m, double **mask)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      mask[i][j] *= 0.9375;
}

int main(int argc, char **argv)
{
  int steps = argc > 1 ? atoi(argv[1]) : 3, kind = argc > 2 ? atoi(argv[2]) : 0;
  int n = 60, m = 70, rows = kind == 2 ? 50 : n;
  double **mask = calloc(n, sizeof *mask), **a = calloc(rows, sizeof *a), **b = calloc(rows, sizeof *b), s = 0;

  for (int i = 0; i < n; i++) {
    int there = i < rows && (kind != 1 || i % 3);

    mask[i] = calloc(m, sizeof **mask);
    if (there) {
      a[i] = calloc(m, sizeof **a);
      b[i] = calloc(m, sizeof **b);
    }
    for (int j = 0; j < m; j++) {
      mask[i][j] = there && (i + j) % 4;
      if (there) {
        a[i][j] = i;
        b[i][j] = j;
      }
    }
  }
  for (int t = 0; t < steps; t++) {
    step(n, m, mask, a, b);
    fade(n, m, mask);
    printf("%d %g\n", t, a[1][1]);
  }
  for (int i = 0; i < rows; i++)
    for (int j = 0; a[i] && j < m; j++)
      s = s * 0.999 + a[i][j] * (j % 7);
  printf("%.12g\n", s);
  for (int i = 0; i < n; i++) {
    free(mask[i]);
    if (i < rows)
      free(a[i]), free(b[i]);
  }
  free(mask), free(a), free(b);
  return 0;
}
