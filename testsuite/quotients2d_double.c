/* quotients2d_double: doubles divided by constants, of numbers of all sizes: subnormal and infinite ones,
 * zeros of both signs and numbers near the largest one among them; and of numbers whose sixth part lies halfway
 * between two subnormal ones, where an error of any size shows.
 * hexcc-test: args=N,T run=1,3;3,2;9,0;16,7;33,8;70,17 tile=h=1,w=2:8;h=2,w=3:16 variants=--reuse=none stream=steps=4,vector=1;steps=3,vector=4
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void quotients2d_double(int N, int T, double A[2][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        A[(t+1)%2][i][j] = (A[t%2][i-1][j] + A[t%2][i+1][j]) / 3.1 + A[t%2][i][j-1] / 6
          + A[t%2][i][j+1] / (2.5 * 0.3) - A[t%2][i][j] / -49.7f + A[t%2][i][j] / 4.0;
#pragma endscop
}

static void fill(void *data, size_t size)
{
  static unsigned state = 1;
  double *x = (double *)data;

  for (size_t i = 0; i < size / sizeof *x; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = ldexp(((state >> 8) | 1) / 16777216.0, -(int)(state % 1090));
    switch (state % 11) {
    case 0: x[i] = 0; break;
    case 1: x[i] = -0.0; break;
    case 2: x[i] = ldexp(x[i], 1023); break;
    case 3: x[i] = state % 13 ? x[i] : INFINITY; break;
    case 4: case 5: case 6: x[i] = -x[i]; break;
    }
    if (i < size / sizeof *x / 4)
      x[i] = ldexp(6 * (state >> 8 & 15) + 3, -1074);
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
  int N = argc > 1 ? atoi(argv[1]) : 64;
  int T = argc > 2 ? atoi(argv[2]) : 20;
  size_t size = sizeof(double[2][N][N]);
  double (*A)[N][N] = (double (*)[N][N])malloc(size);

  fill(A, size);
  quotients2d_double(N, T, A);
  add_to_hash(A, size);
  printf("%016llx\n", hash);
  free(A);
  return 0;
}
