/* quotients2d_steps: a single sweep that divides by constants of all kinds: negative ones, products, with
 * operands that are converted first, of numbers next to zero, huge and infinite.
 * hexcc-test: args=N run=1;2;7;40;131 warns=HX0201
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void quotients2d_steps(int N, double A[N][N], double B[N][N], float F[N][N], int K[N][N])
{
#pragma scop
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      B[i][j] = A[i][j] / -0.3;
      F[i][j] = F[i][j] / (0.7f * 3) + A[i][j] / 1e-3;
      A[i][j] = (A[i][j] / (4.0 * 1.3) + F[i][j] / 27.5) + K[i][j] / 118.0 + K[i][j] / 3;
    }
#pragma endscop
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
  double (*A)[N] = malloc(sizeof(double[N][N])), (*B)[N] = malloc(sizeof(double[N][N]));
  float (*F)[N] = malloc(sizeof(float[N][N]));
  int (*K)[N] = malloc(sizeof(int[N][N]));
  unsigned state = 1;

  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      state = state * 1664525u + 1013904223u;
      double x = ldexp(((state >> 8) | 1) / 16777216.0, -(int)(state % 1090));
      A[i][j] = state % 11 == 0 ? 0 : state % 11 == 1 ? -0.0 : state % 11 == 2 ? ldexp(x, 1023)
        : state % 11 == 3 ? INFINITY : x;
      F[i][j] = ldexpf((state >> 8) / 16777216.0f, -(int)(state / 7 % 160));
      K[i][j] = (int)state;
    }
  quotients2d_steps(N, A, B, F, K);
  add_to_hash(A, sizeof(double[N][N]));
  add_to_hash(B, sizeof(double[N][N]));
  add_to_hash(F, sizeof(float[N][N]));
  printf("%016llx\n", hash);
  free(A), free(B), free(F), free(K);
  return 0;
}
