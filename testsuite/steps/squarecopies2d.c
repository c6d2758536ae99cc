/* squarecopies2d: A square grid whose length is a product itself and that is copied by a number of bytes that is kept in a variable.
 * hexcc-test: args=K,T run=0,2;1,1;2,5;9,12
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
  int k = argc > 1 ? atoi(argv[1]) : 9, steps = argc > 2 ? atoi(argv[2]) : 12;
  int n = 7 * k;
  size_t bytes = sizeof(float) * n * n;
  float *a = calloc(1, bytes + 4), *b = calloc(1, bytes + 4);
  double sum = 0;

  for (int i = 0; i < n * n; i++)
    a[i] = (i * 7) % 11;
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        b[i * n + j] = a[i * n + j] + 0.1f * (a[i * n + j - 1] + a[i * n + j + 1] + a[(i - 1) * n + j] + a[(i + 1) * n + j] - 4 * a[i * n + j]);
    memcpy(a, b, bytes);
  }
  for (int i = 0; i < n * n; i++)
    sum += a[i] * (i % 7) + b[i] * (i % 5);
  printf("%.17g\n", sum);
  free(a);
  free(b);
  return 0;
}
