/* coarse2d: forms of loops whose threads may have several cells: arrays of other widths, elements that are
 * the same for a row or a column, a shifted result, values of iterators, what the cell has just stored.
 * hexcc-test: args=N,T run=3,2;8,3;13,2;16,4;31,3;64,2 variants=--kernel=coarsened;--kernel=streamed;--kernel=tiled;--kernel=streamed-tiled;--kernel=tiled,--cells=1x1;--kernel=coarsened,--cells=4x1 flags=--tiling,stepwise
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void coarse2d(int N, int T, float a[N][N + 4], float b[N][N + 4], float c[N][N + 8],
                    float d[N][N + 4], float row[N], float column[N + 4])
{
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++) {
        b[i][j + 2] = 0.25f * (a[i - 1][j] + a[i + 1][j + 4] + a[i][j - 1]) + row[i] * column[j + 3];
        c[i][j + 2] = c[i][j + 2] - 0.125f * b[i][j + 2] + 0.001f * (i + 2 * j);
        d[i][j + 2] = c[i][j + 2] * 0.5f + a[i - 1][j + 2] * row[i - 1];
      }
    for (int i = 1; i < N - 1; i++)
      for (int j = 0; j < N; j++)
        a[i][j] = 0.5f * (b[i][j] + d[i][j] + c[i][j + 7]);
    a[N / 2][N / 2] += a[0][0];
  }
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
  int N = argc > 1 ? atoi(argv[1]) : 24;
  int T = argc > 2 ? atoi(argv[2]) : 10;
  size_t narrow = sizeof(float[N][N + 4]), wide = sizeof(float[N][N + 8]);
  float *a = (float *)malloc(narrow), *b = (float *)malloc(narrow), *d = (float *)malloc(narrow);
  float *c = (float *)malloc(wide), *row = (float *)malloc(sizeof(float) * N);
  float *column = (float *)malloc(sizeof(float) * (N + 4));

  fill(a, narrow);
  fill(b, narrow);
  fill(c, wide);
  fill(d, narrow);
  fill(row, sizeof(float) * N);
  fill(column, sizeof(float) * (N + 4));
  coarse2d(N, T, (float (*)[N + 4])a, (float (*)[N + 4])b, (float (*)[N + 8])c,
          (float (*)[N + 4])d, row, column);
  add_to_hash(a, narrow);
  add_to_hash(b, narrow);
  add_to_hash(c, wide);
  add_to_hash(d, narrow);
  printf("%016llx\n", hash);
  free(a);
  free(b);
  free(c);
  free(d);
  free(row);
  free(column);
  return 0;
}
