#include <stdio.h>
#include <stdlib.h>

int main(void)
{
  int n = 300, steps = 200;
  float *u = calloc(n * n, sizeof(float)), *v = calloc(n * n, sizeof(float)), *tmp;
  u[n / 2 * n + n / 2] = 1000.0f;
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        v[i * n + j] = 0.2f * (u[i * n + j] + u[(i - 1) * n + j] + u[(i + 1) * n + j]
                               + u[i * n + j - 1] + u[i * n + j + 1]);
    tmp = u;
    u = v;
    v = tmp;
  }
  printf("%.9g\n", u[n / 2 * n + n / 2]);
}
