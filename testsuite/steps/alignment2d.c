/* alignment2d: A table of the longest common parts of two texts, in integers: i + j.
 * hexcc-test: args=N,M run=1,1;2,1;3,4;5,2;9,9;14,30;40,17 warns=HX0201
 */
#include <stdio.h>
#include <stdlib.h>

static void alignment2d(int N, int M, int a[N], int b[M], int table[N + 1][M + 1])
{
#pragma scop
  for (int i = 0; i <= N; i++)
    table[i][0] = 0;
  for (int j = 0; j <= M; j++)
    table[0][j] = 0;
  for (int i = 1; i <= N; i++)
    for (int j = 1; j <= M; j++) {
      int longest = table[i-1][j] > table[i][j-1] ? table[i-1][j] : table[i][j-1];
      if (a[i-1] == b[j-1])
        longest = table[i-1][j-1] + 1;
      table[i][j] = longest;
    }
#pragma endscop
}

static void fill(void *data, size_t size)
{
  static unsigned state = 1;
  int *x = (int *)data;

  for (size_t i = 0; i < size / sizeof *x; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = (int)(state >> 29);
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
  int N = argc > 1 ? atoi(argv[1]) : 10;
  int M = argc > 2 ? atoi(argv[2]) : 9;
  int *a = (int *)malloc(sizeof(int[N]));
  int *b = (int *)malloc(sizeof(int[M]));
  int (*table)[M + 1] = (int (*)[M + 1])malloc(sizeof(int[N + 1][M + 1]));

  fill(a, sizeof(int[N]));
  fill(b, sizeof(int[M]));
  fill(table, sizeof(int[N + 1][M + 1]));
  alignment2d(N, M, a, b, table);
  add_to_hash(a, sizeof(int[N]));
  add_to_hash(b, sizeof(int[M]));
  add_to_hash(table, sizeof(int[N + 1][M + 1]));
  printf("%016llx\n", hash);
  return 0;
}
