/* A rod that is heated, then cools: two time loops in one function, and a report after each. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 400;
  int heating = argc > 2 ? atoi(argv[2]) : 60;
  int cooling = argc > 3 ? atoi(argv[3]) : 90;
  double *now = malloc(n * sizeof(double));
  double *next = malloc(n * sizeof(double));
  double *tmp;
  int i, t;
  double sum;

  for (i = 0; i < n; i++)
    now[i] = next[i] = (i % 11) / 11.0;

  for (t = 0; t < heating; t++) {
    for (i = 1; i < n - 1; i++)
      next[i] = now[i] + 0.2 * (now[i - 1] - 2.0 * now[i] + now[i + 1]) + 0.01;
    tmp = now;
    now = next;
    next = tmp;
  }

  sum = 0.0;
  for (i = 0; i < n; i++)
    sum += now[i];
  printf("after heating: %.12f %.12f\n", now[n / 2], sum);

  for (t = 0; t < cooling; t++) {
    for (i = 1; i < n - 1; i++)
      next[i] = now[i] + 0.3 * (now[i - 1] - 2.0 * now[i] + now[i + 1]) - 0.02 * now[i];
    tmp = now;
    now = next;
    next = tmp;
  }

  printf("after cooling: %.12f\n", now[n / 2]);
  free(now);
  free(next);
  return 0;
}
