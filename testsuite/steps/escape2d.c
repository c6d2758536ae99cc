/* escape2d: Iterations of points without a time loop: scalars carried in the loop of each thread.
 * hexcc-test: args=N,T run=1,3;2,2;5,0;9,1;16,40;40,20 warns=HX0203
 */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

static void escape2d(int N, int T, double scale, int count[N][N], float last[N][N])
{
  double x, y, next;
  int n;

#pragma scop
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      x = 0.0;
      y = 0.0;
      n = 0;
      for (int t = 0; t < T; t++) {
        next = x * x - y * y + scale * (j - N / 2);
        y = 2.0 * x * y + scale * (i - N / 2);
        x = next;
        n += x * x + y * y < 4.0 ? 1 : 0;
        x = fabs(x) < 8.0 ? x : 8.0;
        y = fabs(y) < 8.0 ? y : 8.0;
      }
      count[i][j] = n;
      last[i][j] = x;
    }
#pragma endscop
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
  int N = argc > 1 ? atoi(argv[1]) : 32;
  int T = argc > 2 ? atoi(argv[2]) : 5;
  int (*count)[N] = (int (*)[N])malloc(sizeof(int[N][N]));

  fill(count, sizeof(int[N][N]));
  float (*last)[N] = (float (*)[N])malloc(sizeof(float[N][N]));

  fill(last, sizeof(float[N][N]));
  escape2d(N, T, 3.0 / N, count, last);
  add_to_hash(count, sizeof(int[N][N]));
  add_to_hash(last, sizeof(float[N][N]));
  printf("%016llx\n", hash);
  return 0;
}
