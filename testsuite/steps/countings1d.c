/* countings1d: Time loops that count in many words, and what their variables have in the end.
 * hexcc-test: args=N,T run=3,0;5,1;70,2;300,33
 */
#include <stdio.h>
#include <stdlib.h>

#define STEP                                \
  for (int i = 1; i < n - 1; i++)           \
    v[i] = 0.25 * (u[i - 1] + 2 * u[i] + u[i + 1]); \
  for (int i = 1; i < n - 1; i++)           \
    u[i] = v[i];

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 300, steps = argc > 2 ? atoi(argv[2]) : 33, left, t;
  unsigned rest;
  double *u = malloc(sizeof(double) * n), *v = malloc(sizeof(double) * n), sum = 0;

  if (!u || !v)
    return 1;
  for (int i = 0; i < n; i++)
    u[i] = v[i] = i * 7 % 11;
  left = steps;
  while (left-- > 0) {
    STEP
  }
  printf("%d ", left);
  left = steps + 1;
  while (--left) {
    STEP
  }
  printf("%d ", left);
  rest = steps;
  while (rest--) {
    STEP
  }
  printf("%u ", rest);
  t = 0;
  while (t++ < steps) {
    STEP
  }
  printf("%d ", t);
  t = 0;
  while (++t <= steps) {
    STEP
    u[0] = t % 3;
  }
  printf("%d ", t);
  t = 0;
  do {
    STEP
  } while (++t < steps);
  printf("%d ", t);
  left = steps + 2;
  do {
    STEP
  } while (--left > 0);
  printf("%d\n", left);
  for (left = steps; left > 0; left--) {
    STEP
  }
  left = steps;
  for (; left; left--) {
    STEP
  }
  printf("%d ", left);
  for (t = 0; t != steps; t++) {
    STEP
  }
  printf("%d ", t);
  t = 0;
  for (;;) {
    if (t >= steps)
      break;
    STEP
    t++;
  }
  printf("%d ", t);
  t = 0;
  while (1) {
    STEP
    if (++t >= steps)
      break;
  }
  printf("%d ", t);
  t = 1;
  do {
    int i = 1, j = 1;
    while (i < n - 1) {
      v[i] = 0.5 * (u[i - 1] + u[i + 1]);
      i++;
    }
    while (j < n - 1) {
      u[j] = v[j];
      j++;
    }
    t++;
  } while (t <= steps);
  printf("%d\n", t);
  for (int i = 0; i < n; i++)
    sum += u[i] * (i + 1);
  printf("%.17g\n", sum);
  free(u);
  free(v);
  return 0;
}
