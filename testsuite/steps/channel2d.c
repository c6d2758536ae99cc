/* channel2d: Two sub-steps and nests for the walls, each of which reads what was just written.
 * hexcc-test: args=N,T run=3,3;3,1;4,5;9,0;16,3;40,3 warns=HX0204
 */
#include <stdio.h>
#include <stdlib.h>

static void channel2d(int N, int T, double U[N][2*N], double V[N][2*N], double W[N][2*N])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < 2 * N - 1; j++)
        V[i][j] = U[i][j] - 0.1 * (U[i][j+1] - U[i][j-1]) + 0.05 * W[i][j];
    for (int j = 0; j < 2 * N; j++) {
      V[0][j] = 2.0 * V[1][j] - V[2][j];
      V[N-1][j] = 0.0;
    }
    for (int i = 0; i < N; i++)
      V[i][0] = V[i][2*N-2];
    for (int i = 0; i < N; i++)
      V[i][2*N-1] = V[i][1];
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < 2 * N - 1; j++) {
        W[i][j] = 0.5 * (V[i+1][j] - V[i-1][j]);
        U[i][j] = 0.5 * (U[i][j] + V[i][j] - 0.1 * (V[i][j+1] - V[i][j-1]));
      }
    for (int j = 0; j < 2 * N; j++)
      U[N-1][j] = U[N-2][j];
  }
#pragma endscop
}

static void fill(void *data, size_t size)
{
  static unsigned state = 1;
  double *x = (double *)data;

  for (size_t i = 0; i < size / sizeof *x; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = ((state >> 8) | 1) / 16777216.0;
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
  double (*U)[2*N] = (double (*)[2*N])malloc(sizeof(double[N][2*N]));
  double (*V)[2*N] = (double (*)[2*N])malloc(sizeof(double[N][2*N]));
  double (*W)[2*N] = (double (*)[2*N])malloc(sizeof(double[N][2*N]));

  fill(U, sizeof(double[N][2*N]));
  fill(V, sizeof(double[N][2*N]));
  fill(W, sizeof(double[N][2*N]));
  channel2d(N, T, U, V, W);
  add_to_hash(U, sizeof(double[N][2*N]));
  add_to_hash(V, sizeof(double[N][2*N]));
  add_to_hash(W, sizeof(double[N][2*N]));
  printf("%016llx\n", hash);
  return 0;
}
