/* settle3d: Three loops in three dimensions that end when their cells say so: by the largest change, how many cells change, and the largest residual.
 * hexcc-test: args=N,T run=3,2;7,5;20,12;37,90
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define AT(i, j, k) (((i) * (n + 3) + (j)) * (n + 1) + (k))

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 37, most = argc > 2 ? atoi(argv[2]) : 90, step, moved = 1;
  size_t bytes = sizeof(float) * n * (n + 3) * (n + 1);
  float *u = malloc(bytes), *v = malloc(bytes), *f = malloc(bytes), *w, change = 1, residual = 1;
  double sum = 0;

  if (!u || !v || !f)
    return 1;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n + 3; j++)
      for (int k = 0; k < n + 1; k++) {
        u[AT(i, j, k)] = v[AT(i, j, k)] = (i * 5 + j * 3 + k * 7) % 11;
        f[AT(i, j, k)] = 0.125f * ((i + j * k) % 3);
      }
  for (step = 0; step < most && change > 0.125f; step++) {
    change = 0;
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n + 2; j++)
        for (int k = 1; k < n; k++) {
          v[AT(i, j, k)] = 0.4f * u[AT(i, j, k)] + 0.1f * (u[AT(i - 1, j, k)] + u[AT(i + 1, j, k)] + u[AT(i, j - 1, k)] + u[AT(i, j + 1, k)] + u[AT(i, j, k - 1)] + u[AT(i, j, k + 1)]);
          change = fmaxf(change, fabsf(v[AT(i, j, k)] - u[AT(i, j, k)]));
        }
    w = u;
    u = v;
    v = w;
  }
  printf("%d %.9g\n", step, change);
  for (step = 0; step < most && moved; step++) {
    moved = 0;
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n + 2; j++)
        for (int k = 1; k < n; k++)
          v[AT(i, j, k)] = floorf((u[AT(i - 1, j, k)] + u[AT(i + 1, j, k)] + u[AT(i, j - 1, k)] + u[AT(i, j + 1, k)] + u[AT(i, j, k - 1)] + u[AT(i, j, k + 1)]) / 6);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n + 2; j++)
        for (int k = 1; k < n; k++) {
          if (v[AT(i, j, k)] != u[AT(i, j, k)])
            moved++;
          u[AT(i, j, k)] = v[AT(i, j, k)];
        }
  }
  printf("%d %d\n", step, moved);
  for (step = 1; step <= most; step++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n + 2; j++)
        for (int k = 1; k < n; k++)
          v[AT(i, j, k)] = (u[AT(i - 1, j, k)] + u[AT(i + 1, j, k)] + u[AT(i, j - 1, k)] + u[AT(i, j + 1, k)] + u[AT(i, j, k - 1)] + u[AT(i, j, k + 1)] + f[AT(i, j, k)]) / 6;
    residual = 0;
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n + 2; j++)
        for (int k = 1; k < n; k++) {
          float r = f[AT(i, j, k)] - 6 * v[AT(i, j, k)] + v[AT(i - 1, j, k)] + v[AT(i + 1, j, k)] + v[AT(i, j - 1, k)] + v[AT(i, j + 1, k)] + v[AT(i, j, k - 1)] + v[AT(i, j, k + 1)];
          if (r > residual)
            residual = r;
        }
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n + 2; j++)
        for (int k = 1; k < n; k++)
          u[AT(i, j, k)] = v[AT(i, j, k)];
    if (residual < 0.25f)
      break;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n + 3; j++)
      for (int k = 0; k < n + 1; k++)
        sum += u[AT(i, j, k)] * (i + 2 * j + 3 * k);
  printf("%d %.9g, %.17g\n", step, residual, sum);
  free(u);
  free(v);
  free(f);
  return 0;
}
