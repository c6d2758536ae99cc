/* pragmas2d: Pragmas of OpenMP, OpenACC and compilers before nests, around them and in them.
 * hexcc-test: args=N,T run=2,0;3,2;40,5;65,9 warns=HX0107
 */
#include <stdio.h>
#include <stdlib.h>

static void fill(int n, double *u)
{
  int i, j;

# pragma omp parallel for private(j) \
    schedule(static)
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      u[i * n + j] = (i * 31 + j * 17) % 101 * 0.01;
}

static void step(int n, const double *restrict from, double *restrict to)
{
  int i, j;

#pragma omp parallel shared(from, to) private(i, j)
  {
#pragma omp for nowait
    for (i = 1; i < n - 1; i++)
#pragma omp simd
      for (j = 1; j < n - 1; j++)
        to[i * n + j] = 0.25 * (from[(i-1) * n + j] + from[(i+1) * n + j] + from[i * n + j-1] + from[i * n + j+1]);
    /* both boundaries */
#pragma acc loop independent
#pragma GCC ivdep
    for (j = 0; j < n; j++) {
      to[j] = to[n + j];
      to[(n-1) * n + j] = to[(n-2) * n + j];
    }
  }
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 65, steps = argc > 2 ? atoi(argv[2]) : 9;
  double *a = malloc(n * n * sizeof *a), *b = malloc(n * n * sizeof *b);
  double sum = 0;

  fill(n, a);
  fill(n, b);
  for (int t = 0; t < steps; t++) {
    double *old = a;

    step(n, a, b);
    a = b;
    b = old;
    printf("%d %.17g\n", t, a[n + 1]);
  }
#pragma omp parallel for reduction(+:sum)
  for (int i = 0; i < n * n; i++)
    sum += a[i];
  printf("%.17g\n", sum);
  free(a);
  free(b);
  return 0;
}
