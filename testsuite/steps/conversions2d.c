/* conversions2d: Conversions that C makes by itself and C++ does not: of pointers in assignments, initial values,
 * arguments, returned values and lists, of numbers and pointers, of qualifiers and of enumerations.
 * hexcc-test: args=n,T run=3,1;4,2;17,5;40,3
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELLS(n) malloc((n) * sizeof(double))
#define SET(to, value) to = value
#define CLEAR(p) p = NULL

enum kind { FIRST, SECOND, THIRD };
typedef enum { LOW, HIGH } level;
typedef struct field {
  int n;
  enum kind kind;
  double *cells;
  struct field *new;
} field;

static void *memory(size_t size)
{
  return calloc(1, size);
}

static double *cells(int n)
{
  return memory(n * n * sizeof(double));
}

static double sum(double *p, int n)
{
  double total = 0.0;
  for (int i = 0; i < n; i++)
    total += p[i];
  return total;
}

static double total(const double *p, int n)
{
  return sum(p, n);
}

static int compare(const double *a, const double *b)
{
  return *a < *b ? -1 : *a > *b;
}

static enum kind next(enum kind k)
{
  return (k + 1) % 3;
}

static enum kind chosen(int n)
{
  return n > 3 ? FIRST : SECOND;
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 40, T = argc > 2 ? atoi(argv[2]) : 3;
  double *u = cells(n), *v = (void *)cells(n), *w = '\0';
  double **rows;
  level high = n > 3;
  enum kind k = 1, m = SECOND;
  field first = { n, 2, malloc(n * sizeof(double)) };
  field other = { .n = n, .kind = FIRST, .cells = calloc(n, sizeof(double)) }, *new;
  const char *word = "cells";
  char *found = strchr(word, 'l'), *name = n > 3 ? "large" : "small";
  unsigned char *bytes = u;
  long address = u;
  int odd = n & 1 ? k : m;

  rows = (double *)malloc(n * sizeof(double *));
  for (int i = 0; i < n; i++)
    rows[i] = u + i * n;
  new = malloc(sizeof *new);
  new->new = memory(sizeof *new);
  new->new->cells = n > 3 ? CELLS(n) : malloc(sizeof(double) * n);
  w = CELLS(n);
  SET(new->cells, memory(n * sizeof(double)));
  k = next(2);
  k = k | 1;
  m = chosen(n);
  for (int i = 0; i < n * n; i++)
    u[i] = v[i] = (i * 37 % 11) * 0.125;
  for (int i = 0; i < n; i++)
    w[i] = first.cells[i] = new->cells[i] = new->new->cells[i] = n - i;
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        v[i * n + j] = 0.25 * (u[i * n + j - 1] + u[i * n + j + 1] + u[(i - 1) * n + j] + u[(i + 1) * n + j]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        u[i * n + j] = v[i * n + j];
  }
  qsort(w, n, sizeof *w, compare);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      printf("%.17g\n", rows[i][j]);
  printf("%.17g %.17g %g\n", total(u, n * n), sum(new->cells, n) + other.cells[0], w[0]);
  printf("%d %d %d %d %d %s %s\n", high, k, m, first.kind, odd, found, name);
  printf("%d %d %d\n", address == (long)u, bytes == (unsigned char *)u, bytes == u);
  CLEAR(rows);
  return rows != NULL;
}
