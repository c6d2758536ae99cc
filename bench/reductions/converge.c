/* Five points and how much they change, step by step until nothing does: what docs/notes/results.md measures. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
  struct timespec t;

  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 512, most = argc > 2 ? atoi(argv[2]) : 10, steps = 0;
  double *u = (double *)malloc(sizeof(double) * n * n), *w = (double *)malloc(sizeof(double) * n * n);
  double change = 1, begin = 0;

  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      u[i*n+j] = w[i*n+j] = (i * 31L + j * 17L) % 101 * 0.01;
  while (change > 1e-12 && steps < most) {
    if (steps == 3)
      begin = now();
    change = 0;
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++) {
        w[i*n+j] = 0.25 * (u[(i-1)*n+j] + u[(i+1)*n+j] + u[i*n+j-1] + u[i*n+j+1]);
#if defined(SUM)
        change += (w[i*n+j] - u[i*n+j]) * (w[i*n+j] - u[i*n+j]);
#elif defined(ORDERED)
        change = w[i*n+j] > change ? w[i*n+j] : change;
#else
        change = fmax(change, fabs(w[i*n+j] - u[i*n+j]));
#endif
      }
    double *swap = u;
    u = w;
    w = swap;
    steps++;
  }
  fprintf(stderr, "%.1f us a step\n", (now() - begin) * 1e6 / (steps - 3));
  printf("%d %.17g %.17g\n", steps, change, u[(n / 2) * n + n / 2]);
  return 0;
}
