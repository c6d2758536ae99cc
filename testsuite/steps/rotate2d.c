/* rotate2d: A wave equation in three planes of an array of pointers, whose indices rotate; the indices are shown at the end.
 * hexcc-test: args=N,M,T run=1,1,3;2,9,1;3,3,2;5,17,5;9,9,0;64,70,7;130,65,8;33,200,13
 */
#include <stdio.h>
#include <stdlib.h>

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
  int n = argc > 1 ? atoi(argv[1]) : 32;
  int m = argc > 2 ? atoi(argv[2]) : 32;
  int T = argc > 3 ? atoi(argv[3]) : 5;
  size_t size = sizeof(float) * n * m;
  float *u[3] = { malloc(size), malloc(size), malloc(size) };
  int old = 2, now = 0, new = 1;

  for (int k = 0; k < 3; k++)
    fill(u[k], size);
  for (int t = 0; t < T; t++) {
    int held = old;

    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++) {
        int c = i * m + j;

        u[new][c] = u[now][c] + 0.5f * (u[now][c] - u[old][c])
          + 0.125f * (u[now][c - m] + u[now][c + m] + u[now][c - 1] + u[now][c + 1] - 4 * u[now][c]);
      }
    old = now;
    now = new;
    new = held;
  }
  add_to_hash(u[old], size);
  add_to_hash(u[now], size);
  add_to_hash(u[new], size);
  printf("%d %d %d %016llx\n", old, now, new, hash);
  for (int k = 0; k < 3; k++)
    free(u[k]);
  return 0;
}
