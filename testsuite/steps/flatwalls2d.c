/* flatwalls2d: Flat arrays of which neighbours behind the walls are chosen by conditions, in several ways of writing them.
 * hexcc-test: args=N,M,T run=1,1,3;1,40,4;37,1,4;2,3,5;33,41,10;70,65,13
 */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 70, m = argc > 2 ? atoi(argv[2]) : 65, steps = argc > 3 ? atoi(argv[3]) : 13;
  double *u = malloc(sizeof(double) * n * m), *v = malloc(sizeof(double) * n * m), sum = 0;

  if (!u || !v)
    return 1;
  for (int k = 0; k < n * m; k++)
    u[k] = k * 7919 % 1009 / 1009.0;
  for (int t = 0; t < steps; t++) {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++) {
        double c = u[i * m + j];
        double left = j > 0 ? u[i * m + j - 1] : c;
        double right = j == m - 1 ? c : u[i * m + j + 1];
        double below = i ? u[(i - 1) * m + j] : c;
        double above = i != n - 1 ? u[(i + 1) * m + j] : c;
        double corner = i > 0 && j > 0 ? u[(i - 1) * m + j - 1] : 0.5;
        double other = i == n - 1 || j == m - 1 ? 0.25 : u[(i + 1) * m + j + 1];
        double third = !j ? 0.125 : i >= n - 1 ? 1.5 : u[(i + 1) * m + j - 1];
        v[i * m + j] = 0.125 * (left + right + below + above + corner + other + third + c);
      }
    double *held = u;
    u = v;
    v = held;
  }
  for (int k = 0; k < n * m; k++)
    sum += u[k] * (k % 7 + 1);
  printf("%.17g %.17g\n", sum, u[n / 2 * m + m / 2]);
  free(u);
  free(v);
  return 0;
}
