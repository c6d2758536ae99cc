/* sumends1d: A loop that ends when the quotient of two sums of floats says so, of which one counts some cells alone.
 * hexcc-test: args=N,T run=3,2;20,5;65,40;1000,90;5000,300 warns=HX0208 ulps=4096
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 65, most = argc > 2 ? atoi(argv[2]) : 40, rounds;
  float *a = malloc(sizeof(float) * n), *b = malloc(sizeof(float) * n), changes = 0;

  if (!a || !b)
    return 1;
  for (int i = 0; i < n; i++)
    a[i] = b[i] = i * 17 % 13;
  for (rounds = 0; rounds < most; rounds++) {
    float all = 0, *old = a;

    changes = 0;
    for (int i = 1; i < n - 1; i++)
      b[i] = 0.25f * (a[i - 1] + 2 * a[i] + a[i + 1]);
    for (int i = 1; i < n - 1; i++) {
      changes += fabsf(b[i] - a[i]);
      if (b[i] > 1)
        all += b[i];
    }
    a = b;
    b = old;
    if (changes < 1e-3f * all)
      break;
  }
  printf("%d rounds, %.6g, %.9g\n", rounds, changes, a[n / 3]);
  free(a);
  free(b);
  return 0;
}
