/* structcopies2d: Cells of a flat array of structs that are copied into a variable, and pointers to rows of structs that
 * are exchanged.
 * hexcc-test: args=N,T run=3,2;8,0;17,1;40,5 warns=HX0106
 */
#include <stdio.h>
#include <stdlib.h>

typedef struct { float u, v; } Cell;

static Cell first[24][24], second[24][24];

static void step(const Cell *now, Cell *next, int n)
{
  for (int y = 1; y < n - 1; y++)
    for (int x = 1; x < n - 1; x++) {
      Cell c = now[y * n + x];

      next[y * n + x].u = c.u + 0.1f * (now[y * n + x - 1].u - c.v);
      next[y * n + x].v = c.v + 0.1f * now[(y - 1) * n + x].v;
    }
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 16, T = argc > 2 ? atoi(argv[2]) : 3;
  Cell *a = calloc(n * n, sizeof(Cell)), *b = calloc(n * n, sizeof(Cell));
  Cell (*rows)[24] = first, (*others)[24] = second;
  double sum = 0;

  for (int i = 0; i < n * n; i++)
    a[i].u = b[i].u = i * 7 % 11, a[i].v = b[i].v = i * 3 % 5;
  for (int i = 0; i < 24; i++)
    for (int j = 0; j < 24; j++)
      first[i][j].u = i * j % 7;
  for (int t = 0; t < T; t++) {
    step(a, b, n);
    Cell *tmp = a;
    a = b;
    b = tmp;
  }
  for (int t = 0; t < T; t++) {
    for (int y = 1; y < 23; y++)
      for (int x = 1; x < 23; x++)
        others[y][x].u = 0.5f * (rows[y][x-1].u + rows[y-1][x].u);
    Cell (*tmp)[24] = rows;
    rows = others;
    others = tmp;
  }
  for (int i = 0; i < n * n; i++)
    sum += a[i].u * (i % 7) + a[i].v;
  for (int i = 0; i < 24; i++)
    for (int j = 0; j < 24; j++)
      sum += rows[i][j].u * (i % 3);
  printf("%.12g\n", sum);
  free(a), free(b);
  return 0;
}
