#include <stdio.h>
#include <stdlib.h>

void smooth(int n, int steps, float *u, float *v);

int main(void)
{
  int n = 100;
  float *u = calloc(n * n, sizeof(float)), *v = calloc(n * n, sizeof(float));
  u[n / 2 * n + n / 2] = 1000.0f;
  smooth(n, 20, u, v);
  printf("%.6f\n", u[n / 2 * n + n / 2]);
  free(u);
  free(v);
}
