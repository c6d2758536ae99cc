/* unmarked1d: A program without pragmas: its time loop calls functions that are not inline, of
 * which one stands behind it and one ends with return; and there is much else in the file.
 * hexcc-test: args=N,T run=2,5;3,2;5,1;16,7;17,0;40,9;64,8;129,16;300,17 tile=h=1,w=2;h=3,w=3;h=9,w=16
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

typedef float real;
typedef int (*compare_t)(const void *, const void *);

struct settings { int n, steps; const char *name; };

static void advance(int n, const real *from, real *to);

static int say(char *text, size_t size, const char *format, ...)
{
  va_list all;
  int length;

  va_start(all, format);
  length = vsnprintf(text, size, format, all);
  va_end(all);
  return length;
}

static int ascending(const void *a, const void *b)
{
  real x = *(const real *)a, y = *(const real *)b;

  return x < y ? -1 : x > y;
}

/* Loops that are no time loop. */
static void sort_twice(real *values, int n, compare_t less)
{
  int k = 0;

  do {
    for (int i = 0; i < n; i++)
      for (int j = i + 1; j < n; j++)
        if (less(&values[i], &values[j]) > 0) { real x = values[i]; values[i] = values[j]; values[j] = x; }
  } while (++k < 2);
}

static void ends(int n, real *a)
{
  if (n > 1)
    a[n-1] = a[0];
  return;
}

static void fill(void *data, size_t size)
{
  static unsigned state = 1;
  float *x = (float *)data;

  for (size_t i = 0; i < size / sizeof *x; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = ((state >> 8) | 1) / 16777216.0f;
  }
}

static unsigned long long hash = 14695981039346656037ull;

static void add_to_hash(const void *data, size_t size)
{
  const unsigned char *byte = (const unsigned char *)data;

  for (size_t i = 0; i < size; i++)
    hash = (hash ^ byte[i]) * 1099511628211ull;
}

int main(int argc, char **argv)
{
  struct settings s = { argc > 1 ? atoi(argv[1]) : 256, argc > 2 ? atoi(argv[2]) : 20, "unmarked" };
  int n = s.n, steps = s.steps, t;
  real *u = malloc(n * sizeof *u), *v = malloc(n * sizeof *v);
  char line[80];
  compare_t less = ascending;

  fill(u, n * sizeof *u);
  fill(v, n * sizeof *v);
  sort_twice(u, n < 9 ? n : 9, less);
  say(line, sizeof line, "%s, %d cells", s.name, n);
  for (t = 0; t < steps; t++) {
    advance(n, u, v);
    advance(n, v, u);
    ends(n, u);
  }
  switch (n) {
  case 0: goto done;
  default: add_to_hash(u, n * sizeof *u);
  }
done:
  printf("%s %d %016llx\n", line, t, hash);
  free(u);
  free(v);
  return 0;
}

static void advance(int n, const real *from, real *to)
{
  int i;

  for (i = 1; i < n - 1; i++)
    to[i] = 0.25f * from[i-1] + 0.5f * from[i] + 0.25f * from[i+1];
}
