/* mirrored2d: A field that is mirrored along one dimension and goes around along the other; the neighbours are chosen by
 * if and else, and as values.
 * hexcc-test: args=n,m,T run=2,5,3;3,9,4;9,3,5;17,12,7;40,33,11
 */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 40;
  int m = argc > 2 ? atoi(argv[2]) : 32;
  int T = argc > 3 ? atoi(argv[3]) : 10;
  float *u = malloc(n * m * sizeof(float)), *v = malloc(n * m * sizeof(float)), *w;
  int i, j, t, up, left, right;
  double sum = 0;

  for (i = 0; i < n * m; i++)
    u[i] = v[i] = (float)((i * 31) % 101) / 101;
  for (t = 0; t < T; t++) {
    for (i = 0; i < n; i++) {
      int down = i == n - 1 ? n - 2 : i + 1;

      if (i == 0)
        up = 1;
      else
        up = i - 1;
      for (j = 0; j < m; j++) {
        float d;

        if (j == 0) {
          left = m - 1;
          right = j + 1;
        } else if (j == m - 1) {
          left = j - 1;
          right = 0;
        } else {
          left = j - 1;
          right = j + 1;
        }
        d = u[up * m + j] - 2 * u[i * m + j] + u[down * m + j];
        v[i * m + j] = u[i * m + j] + 0.125f * d
          + 0.0625f * (u[i * m + left] - 3 * u[i * m + j] + 2 * u[i * m + right]);
      }
    }
    w = u;
    u = v;
    v = w;
  }
  for (i = 0; i < n * m; i++)
    sum += u[i] * (i % 7 + 1);
  printf("%.9f\n", sum);
  free(u);
  free(v);
  return 0;
}
