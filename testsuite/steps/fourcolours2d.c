/* fourcolours2d: Nine points in place in four colours, the colours in two loops of the host.
 * hexcc-test: args=N,T run=1,3;2,2;3,1;4,5;9,0;16,4;33,3;50,2 warns=HX0203
 */
#include <stdio.h>
#include <stdlib.h>

static void fourcolours2d(int N, int T, float U[N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int p = 0; p < 2; p++)
      for (int q = 0; q < 2; q++)
        for (int i = 1; i < N - 1; i++)
          for (int j = 1; j < N - 1; j++)
            if (i % 2 == p && (j + q) % 2 == 0)
              U[i][j] = 0.125f * (U[i-1][j-1] + U[i-1][j] + U[i-1][j+1] + U[i][j-1]
                                  + U[i][j+1] + U[i+1][j-1] + U[i+1][j] + U[i+1][j+1]);
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
  float (*U)[N] = (float (*)[N])malloc(sizeof(float[N][N]));

  fill(U, sizeof(float[N][N]));
  fourcolours2d(N, T, U);
  add_to_hash(U, sizeof(float[N][N]));
  printf("%016llx\n", hash);
  return 0;
}
