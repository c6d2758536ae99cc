/* firstlast2d: A wave from one step to another, with a source along a line behind each sweep.
 * hexcc-test: args=N,M,first,last run=1,2,0,3;2,2,1,2;3,5,0,2;9,12,0,7;20,2,1,9;40,70,3,30;70,33,5,6;64,64,4,4;130,20,17,80;300,40,31,62
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

static void wave(int n, int m, int first, int last, const float speed[n][m], float u[2][n][m])
{
  for (int t = first; t < last; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++)
        u[(t + 1) % 2][i][j] = 1.99f * u[t % 2][i][j] - 0.99f * u[(t + 1) % 2][i][j]
                               + 0.2f * speed[i][j] * (u[t % 2][i - 1][j] + u[t % 2][i + 1][j]
                                                       + u[t % 2][i][j - 1] + u[t % 2][i][j + 1]
                                                       - 4.0f * u[t % 2][i][j]);
    for (int i = 1; i < n - 1; i++)
      u[(t + 1) % 2][i][1] = t / 12 % 2 ? -1.0f : 1.0f;
  }
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 32;
  int m = argc > 2 ? atoi(argv[2]) : 24;
  int first = argc > 3 ? atoi(argv[3]) : 1;
  int last = argc > 4 ? atoi(argv[4]) : 6;
  size_t size = sizeof(float) * n * m;
  float (*speed)[m] = malloc(size), (*u)[n][m] = malloc(2 * size);

  fill(speed, size);
  fill(u, 2 * size);
  wave(n, m, first, last, speed, u);
  add_to_hash(u, 2 * size);
  printf("%016llx\n", hash);
  free(speed);
  free(u);
  return 0;
}
