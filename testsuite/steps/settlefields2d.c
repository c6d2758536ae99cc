/* settlefields2d: Two fields in floats until no cell is active: flags by |=, members that are swapped, `for (;;)`.
 * hexcc-test: args=N,T run=3,2;4,3;20,40;45,17;64,300
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  int n;
  float *a, *b, *a_next, *b_next;
} fields;

static void step(fields *f, int *active)
{
  int n = f->n;

  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++) {
      int c = i * n + j;
      float d = 0.25f * (f->a[c - 1] + f->a[c + 1] + f->a[c - n] + f->a[c + n]) - f->a[c];

      f->a_next[c] = f->a[c] + 0.9f * d;
      f->b_next[c] = 0.5f * f->b[c] + 0.125f * (f->b[c - 1] + f->b[c + n]) + 0.1f * d;
      *active |= fabsf(f->b_next[c] - f->b[c]) > 1e-4f ? 1 : 0;
    }
}

static void swap(float **x, float **y)
{
  float *t = *x;

  *x = *y;
  *y = t;
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 40, most = argc > 2 ? atoi(argv[2]) : 100, steps = 0;
  size_t size = sizeof(float) * n * n;
  fields f = {n, malloc(size), malloc(size), malloc(size), malloc(size)};
  double sum = 0;

  if (!f.a || !f.b || !f.a_next || !f.b_next)
    return 1;
  for (int i = 0; i < n * n; i++) {
    f.a[i] = f.a_next[i] = (i * 37 % 101) * 0.01f;
    f.b[i] = f.b_next[i] = (i * 53 % 97) * 0.01f;
  }
  for (;;) {
    int active = 0;

    step(&f, &active);
    swap(&f.a, &f.a_next);
    swap(&f.b, &f.b_next);
    steps++;
    if (!active || steps >= most)
      break;
  }
  for (int i = 0; i < n * n; i++)
    sum += f.a[i] * (i % 7) + f.b[i] * (i % 5);
  printf("%d steps, %.17g\n", steps, sum);
  free(f.a);
  free(f.b);
  free(f.a_next);
  free(f.b_next);
  return 0;
}
