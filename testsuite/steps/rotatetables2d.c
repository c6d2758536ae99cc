/* rotatetables2d: Three planes in tables of rows of one block each, rotated by parameters of a function; the host looks at some steps.
 * hexcc-test: args=N,M,T,every run=1,2,2,1;3,3,0,1;3,3,1,1;4,3,2,2;5,6,3,9;8,9,4,3;20,17,11,4;40,33,9,5;60,70,16,40 warns=HX0107
 */
#include <stdio.h>
#include <stdlib.h>

typedef float real;

static real **plane(int N, int M, unsigned state)
{
  real **rows = malloc(N * sizeof *rows), *all = malloc((size_t)N * M * sizeof *all);

  for (int i = 0; i < N; i++)
    rows[i] = all + (size_t)i * M;
  for (int i = 0; i < N * M; i++) {
    state = state * 1664525u + 1013904223u;
    all[i] = (state >> 8) / 16777216.0f;
  }
  return rows;
}

static unsigned long long hash = 14695981039346656037ull;

static void add_to_hash(real **rows, int N, int M)
{
  for (size_t b = 0; b < (size_t)N * M * sizeof(real); b++)
    hash = (hash ^ ((unsigned char *)rows[0])[b]) * 1099511628211ull;
}

static void wave(real **before, real **now, real **next, int N, int M, int T, int every)
{
  for (int t = 1; t <= T; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < M - 1; j++)
        next[i][j] = 2.0f * now[i][j] - before[i][j] + 0.2f * (now[i-1][j] + now[i+1][j] + now[i][j-1] + now[i][j+1] - 4.0f * now[i][j]);
    for (int i = 1; i < N - 1; i++) {
      next[i][0] = now[i][1];
      next[i][M - 1] = now[i][M - 2];
    }
    real **oldest = before;
    before = now;
    now = next;
    next = oldest;
    if (t % every == 0)
      printf("%d: %a\n", t, now[N / 2][M / 2]);
  }
  add_to_hash(before, N, M);
  add_to_hash(now, N, M);
  add_to_hash(next, N, M);
}

int main(int argc, char **argv)
{
  int N = argc > 1 ? atoi(argv[1]) : 32;
  int M = argc > 2 ? atoi(argv[2]) : 32;
  int T = argc > 3 ? atoi(argv[3]) : 5;
  int every = argc > 4 ? atoi(argv[4]) : 3;
  real **a = plane(N, M, 1), **b = plane(N, M, 2), **c = plane(N, M, 3);

  wave(a, b, c, N, M, T, every);
  printf("%016llx\n", hash);
  free(a[0]);
  free(b[0]);
  free(c[0]);
  free(a);
  free(b);
  free(c);
  return 0;
}
