/* adi2d: Alternating directions: sweeps along columns, then along rows, forward and back.
 * hexcc-test: args=N,T run=1,3;2,2;3,1;4,5;9,0;16,3;33,4;50,2 warns=HX0203
 */
#include <stdio.h>
#include <stdlib.h>

static void adi2d(int N, int T, double U[N][N], double V[N][N], double P[N][N], double Q[N][N])
{
#pragma scop
  for (int t = 1; t <= T; t++) {
    for (int i = 1; i < N - 1; i++) {
      V[0][i] = 1.0;
      P[i][0] = 0.0;
      Q[i][0] = V[0][i];
      for (int j = 1; j < N - 1; j++) {
        P[i][j] = 0.3 / (1.7 - 0.3 * P[i][j-1]);
        Q[i][j] = (0.2 * U[j][i-1] + 0.6 * U[j][i] + 0.2 * U[j][i+1] + 0.3 * Q[i][j-1])
                / (1.7 - 0.3 * P[i][j-1]);
      }
      V[N-1][i] = 1.0;
      for (int j = N - 2; j >= 1; j--)
        V[j][i] = P[i][j] * V[j+1][i] + Q[i][j];
    }
    for (int i = 1; i < N - 1; i++) {
      U[i][0] = 1.0;
      P[i][0] = 0.0;
      Q[i][0] = U[i][0];
      for (int j = 1; j < N - 1; j++) {
        P[i][j] = 0.25 / (1.5 - 0.25 * P[i][j-1]);
        Q[i][j] = (0.1 * V[i-1][j] + 0.8 * V[i][j] + 0.1 * V[i+1][j] + 0.25 * Q[i][j-1])
                / (1.5 - 0.25 * P[i][j-1]);
      }
      U[i][N-1] = 1.0;
      for (int j = N - 2; j >= 1; j--)
        U[i][j] = P[i][j] * U[i][j+1] + Q[i][j];
    }
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
  double (*U)[N] = (double (*)[N])malloc(sizeof(double[N][N]));
  double (*V)[N] = (double (*)[N])malloc(sizeof(double[N][N]));
  double (*P)[N] = (double (*)[N])malloc(sizeof(double[N][N]));
  double (*Q)[N] = (double (*)[N])malloc(sizeof(double[N][N]));

  fill(U, sizeof(double[N][N]));
  fill(V, sizeof(double[N][N]));
  fill(P, sizeof(double[N][N]));
  fill(Q, sizeof(double[N][N]));
  adi2d(N, T, U, V, P, Q);
  add_to_hash(U, sizeof(double[N][N]));
  add_to_hash(V, sizeof(double[N][N]));
  printf("%016llx\n", hash);
  return 0;
}
