/* settlenan2d: The largest change by a macro that takes a NaN for larger, in a plate that has one: what C has depends on the order.
 * hexcc-test: args=N,T run=3,2;8,5;20,40;33,150
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX(a, b) ((a) > (b) ? (a) : (b))

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 33, most = argc > 2 ? atoi(argv[2]) : 100, it = 0;
  double *u = malloc(sizeof(double) * n * n), *v = malloc(sizeof(double) * n * n), *w;
  double change = 1, sum = 0;

  if (!u || !v)
    return 1;
  for (int i = 0; i < n * n; i++)
    u[i] = v[i] = (i * 37 % 101) * 0.01;
  if (n % 2 == 0)
    u[5 * n + n / 2] = v[5 * n + n / 2] = NAN;
  do {
    change = 0;
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++) {
        v[i * n + j] = u[i * n + j] + 0.25 * (u[i * n + j - 1] + u[i * n + j + 1] + u[(i - 1) * n + j] + u[(i + 1) * n + j] - 4 * u[i * n + j]);
        change = MAX(change, fabs(v[i * n + j] - u[i * n + j]));
      }
    w = u;
    u = v;
    v = w;
    it++;
    if (it % 7 == 0)
      printf("%d: %d %.17g\n", it, change != change, change != change ? 0 : change);
  } while (it < most && !(change <= 1e-3));
  for (int i = 0; i < n * n; i++)
    if (u[i] == u[i] && v[i] == v[i])
      sum += u[i] * (i % 7) + v[i];
  printf("%d %d %.17g\n", it, isnan(change), sum);
  free(u);
  free(v);
  return 0;
}
