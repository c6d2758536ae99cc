/* Heat on a plate with pointers to three rows, declared at once, and a halo around the plate. */
#include <stdio.h>
#include <stdlib.h>

static void sweep(const float *restrict u, float *restrict v, int nx, int ny)
{
  for (int i = 1; i <= nx; i++) {
    const float *up = u + (i - 1) * (ny + 2), *mid = u + i * (ny + 2), *down = u + (i + 1) * (ny + 2);
    float *out = v + i * (ny + 2);

    for (int j = 1; j <= ny; j++)
      out[j] = mid[j] + 0.2f * (up[j] + down[j] + mid[j - 1] + mid[j + 1] - 4.0f * mid[j]);
  }
}

int main(void)
{
  int nx = 48, ny = 61, steps = 60;
  int cells = (nx + 2) * (ny + 2);
  float *u = calloc(cells, sizeof(float)), *v = calloc(cells, sizeof(float));
  double sum = 0;

  for (int k = 0; k < cells; k++)
    u[k] = v[k] = (float)(k * 7 % 13);
  for (int t = 0; t < steps; t++) {
    sweep(u, v, nx, ny);
    for (int k = 0; k < (nx + 2) * (ny + 2); k++)
      u[k] = v[k];
  }
  for (int k = 0; k < cells; k++)
    sum += u[k] * (k % 5);
  printf("%.15g\n", sum);
  free(u);
  free(v);
  return 0;
}
