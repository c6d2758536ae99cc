/* converging2d: A loop that ends when the result says so, around a nest of one function and a maximum on the host.
 * hexcc-test: args=N,T run=3,2;20,5;65,40;130,9 warns=HX0105
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int n, most;
  double tolerance;
} parameters;

static void relax(int n, int m, double u[n][m], double v[n][m], const double f[n][m])
{
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++) {
      double neighbours = u[i-1][j] + u[i+1][j] + u[i][j-1] + u[i][j+1];

      v[i][j] = 0.25 * (neighbours - f[i][j]);
    }
}

int main(int argc, char **argv)
{
  parameters p = { argc > 1 ? atoi(argv[1]) : 65, argc > 2 ? atoi(argv[2]) : 40, 1e-3 };
  int n = p.n, m = p.n + 7, steps = 0;
  double (*u)[m] = malloc(sizeof(double[n][m])), (*v)[m] = malloc(sizeof(double[n][m]));
  double (*f)[m] = calloc((size_t)n * m, sizeof(double));
  double change = 1;

  if (!u || !v || !f)
    return 1;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      u[i][j] = (i * 31 + j * 17) % 101 * 0.01;
  memcpy(v, u, sizeof(double[n][m]));
  while (change > p.tolerance && steps < p.most) {
    double (*old)[m] = u;

    relax(n, m, u, v, f);
    change = 0;
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++)
        change = fmax(change, fabs(u[i][j] - v[i][j]));
    u = v;
    v = old;
    steps++;
  }
  u = realloc(u, sizeof(double[n][m]) + 100000);
  printf("%d steps, %.17g, %.17g\n", steps, change, u[n / 2][m / 2]);
  free(u);
  free(v);
  free(f);
  return 0;
}
