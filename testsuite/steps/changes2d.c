/* changes2d: A cellular automaton until no cell changes: a function counts the changes and copies the cells back.
 * hexcc-test: args=N,T run=3,2;4,1;9,0;16,7;40,16;57,100;33,400
 */
#include <stdio.h>
#include <stdlib.h>

static int generation(int n, int m, int *cells, int *next)
{
  int changes = 0;

  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++) {
      int sum = cells[(i - 1) * m + j] + cells[(i + 1) * m + j] + cells[i * m + j - 1] + cells[i * m + j + 1];

      next[i * m + j] = sum > 2 ? 1 : sum < 2 ? 0 : cells[i * m + j];
    }
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++) {
      if (cells[i * m + j] != next[i * m + j])
        changes++;
      cells[i * m + j] = next[i * m + j];
    }
  return changes;
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 40, most = argc > 2 ? atoi(argv[2]) : 100, m = n + 5;
  int *cells = calloc((size_t)n * m, sizeof *cells), *next = calloc((size_t)n * m, sizeof *next);
  int step = 0, changes;
  unsigned state = 12345, hash = 2166136261u;

  if (!cells || !next)
    return 1;
  for (int i = 0; i < n * m; i++) {
    state = state * 1664525u + 1013904223u;
    cells[i] = next[i] = state >> 31;
  }
  do {
    changes = generation(n, m, cells, next);
    step++;
    if (step % 5 == 0)
      printf("%d: %d changes\n", step, changes);
  } while (changes > 0 && step < most);
  for (int i = 0; i < n * m; i++)
    hash = (hash ^ (unsigned)(cells[i] + 2 * next[i])) * 16777619u;
  printf("%d steps, %d changes, %u\n", step, changes, hash);
  free(cells);
  free(next);
  return 0;
}
