/* seidel1d: Gauss-Seidel in place along a line: sweeps follow each other, 2 t + i; and one of reach 2 with three points behind.
 * hexcc-test: args=N,T run=2,3;3,2;4,1;5,5;9,4;17,12;30,0;40,9 warns=HX0203
 */
#include <stdio.h>
#include <stdlib.h>

static void seidel1d(int N, int T, float a[N], float b[N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      a[i] = 0.33f * (a[i-1] + a[i] + a[i+1]);
  for (int t = 0; t < T; t++)
    for (int i = 3; i < N - 2; i++)
      b[i] = 0.2f * (b[i-3] + b[i-1] + b[i] + b[i+1] + b[i+2]) + 0.01f * a[i];
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
  int N = argc > 1 ? atoi(argv[1]) : 10;
  int T = argc > 2 ? atoi(argv[2]) : 5;
  float *a = (float *)malloc(sizeof(float[N]));
  float *b = (float *)malloc(sizeof(float[N]));

  fill(a, sizeof(float[N]));
  fill(b, sizeof(float[N]));
  seidel1d(N, T, a, b);
  add_to_hash(a, sizeof(float[N]));
  add_to_hash(b, sizeof(float[N]));
  printf("%016llx\n", hash);
  return 0;
}
