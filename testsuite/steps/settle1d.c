/* settle1d: A rod until it has settled, relative to its first change: a `for` that breaks, the largest change and the least
 * value of each step, printed every 10 steps.
 * hexcc-test: args=N,T run=3,2;5,1;9,0;40,30;97,150;33,700
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX(a, b) ((a) > (b) ? (a) : (b))

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 40, most = argc > 2 ? atoi(argv[2]) : 100, it;
  double *u = malloc(sizeof(double) * n), *v = malloc(sizeof(double) * n), *w;
  double first = 0, sum = 0, change = 0, least = 0;

  if (!u || !v)
    return 1;
  for (int i = 0; i < n; i++)
    u[i] = v[i] = (i * 37 % 101) * 0.01;
  for (it = 1; it <= most; it++) {
    change = 0;
    least = 1e30;
    for (int i = 1; i < n - 1; i++) {
      v[i] = u[i] + 0.25 * (u[i - 1] - 2 * u[i] + u[i + 1]);
      change = MAX(change, fabs(v[i] - u[i]));
      least = fmin(least, v[i]);
    }
    w = u;
    u = v;
    v = w;
    if (it == 1)
      first = change;
    if (it % 10 == 0)
      printf("%d: %.17g %.17g\n", it, change, least);
    if (change <= 1e-3 * first)
      break;
  }
  for (int i = 0; i < n; i++)
    sum += u[i] * (i % 7) + v[i];
  printf("%d %.17g %.17g %.17g\n", it, change, least, sum);
  free(u);
  free(v);
  return 0;
}
