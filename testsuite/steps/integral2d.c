/* integral2d: Prefix sums along rows, then along columns, each parallel in the other dimension.
 * hexcc-test: args=N,M run=1,1;2,3;3,2;5,5;16,9;33,20;64,70 warns=HX0203
 */
#include <stdio.h>
#include <stdlib.h>

static void integral2d(int N, int M, int S[N][M], long long Q[N][M])
{
#pragma scop
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      Q[i][j] = (long long)S[i][j] * S[i][j];
  for (int i = 0; i < N; i++)
    for (int j = 1; j < M; j++) {
      S[i][j] = (S[i][j] + S[i][j-1]) & 0xffffff;
      Q[i][j] += Q[i][j-1];
    }
  for (int i = 1; i < N; i++)
    for (int j = 0; j < M; j++) {
      S[i][j] = (S[i][j] + S[i-1][j]) & 0xffffff;
      Q[i][j] += Q[i-1][j];
    }
#pragma endscop
}

static void fill(void *data, size_t size)
{
  static unsigned state = 1;
  int *x = (int *)data;

  for (size_t i = 0; i < size / sizeof *x; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = (int)(state >> 12);
  }
}

static void fill_long_long(void *data, size_t size)
{
  static unsigned state = 1;
  long long *x = (long long *)data;

  for (size_t i = 0; i < size / sizeof *x; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = (long long)state << 7;
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
  int N = argc > 1 ? atoi(argv[1]) : 32;
  int M = argc > 2 ? atoi(argv[2]) : 32;
  int (*S)[M] = (int (*)[M])malloc(sizeof(int[N][M]));

  fill(S, sizeof(int[N][M]));
  long long (*Q)[M] = (long long (*)[M])malloc(sizeof(long long[N][M]));

  fill_long_long(Q, sizeof(long long[N][M]));
  integral2d(N, M, S, Q);
  add_to_hash(S, sizeof(int[N][M]));
  add_to_hash(Q, sizeof(long long[N][M]));
  printf("%016llx\n", hash);
  return 0;
}
