/* segmentsflat2d: Segments of flat arrays, whose pointers the host exchanges between them; its iterator is the
 * function's own, a counter and a time go on in the steps, and the host may leave the loop.
 * hexcc-test: args=N,T,EVERY,LAST run=40,45,10,99;33,60,7,30;64,20,6,0;9,13,20,5;30,0,4,9 warns=HX0107
 */
#include <stdio.h>
#include <stdlib.h>

#define FIRST_STEP 1

int every = 10;

static void save(const float *a, int n, int t, double time)
{
  for (int k = 0; k < n * n; k += n + 3)
    printf("%a ", a[k]);
  printf("at %d, %a\n", t, time);
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 40, steps = argc > 2 ? atoi(argv[2]) : 45;
  int last = argc > 4 ? atoi(argv[4]) : 99, t, saved = 0;
  float *a = malloc(n * n * sizeof(float)), *b = malloc(n * n * sizeof(float));
  double time = 0;

  if (argc > 3)
    every = atoi(argv[3]);
  if (!a || !b)
    return 1;
  for (int k = 0; k < n * n; k++) {
    a[k] = k % 17;
    b[k] = k % 5;
  }
  for (t = FIRST_STEP; t <= steps; ++t) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        b[i * n + j] = 0.25f * (a[i * n + j - 1] + a[i * n + j + 1] + a[(i - 1) * n + j] + a[(i + 1) * n + j]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        a[i * n + j] = 0.5f * b[i * n + j] + 0.25f * (b[(i - 1) * n + j] + b[(i + 1) * n + j]);
    time += 0.125;
    if ((t - 1) % every == every - 1) {
      float *swap = a;
      a = b;
      b = swap;
      save(a, n, t, time);
      saved++;
      if (t > last)
        break;
    }
  }
  printf("%d %d %a\n", t, saved, time);
  save(b, n, t, time);
  free(a);
  free(b);
  return 0;
}
