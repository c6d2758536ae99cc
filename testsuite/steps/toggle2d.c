/* toggle2d: The planes of an array of pointers, selected by an index that toggles in a loop that counts by itself.
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
  float *u[2] = { malloc(size), malloc(size) };
  int now = 0, t = 0;

  fill(u[0], size);
  fill(u[1], size);
  while (t < T) {
    const float *from = u[now];
    float *to = u[1 - now];

    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++) {
        int c = i * m + j;

        to[c] = 0.5f * from[c] + 0.125f * (from[c - m] + from[c + m] + from[c - 1] + from[c + 1]);
      }
    now = 1 - now;
    t++;
  }
  add_to_hash(u[now], size);
  add_to_hash(u[1 - now], size);
  printf("%d %d %016llx\n", now, t, hash);
  free(u[0]);
  free(u[1]);
  return 0;
}
