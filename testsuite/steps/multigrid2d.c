/* multigrid2d: Strided loops: restriction to every second point and interpolation back.
 * hexcc-test: args=N,T run=1,2;2,2;3,1;4,5;9,0;16,3;25,3 warns=HX0204
 */
#include <stdio.h>
#include <stdlib.h>

static void multigrid2d(int N, int T, double F[2*N+1][2*N+1], double C[N+1][N+1])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 2; i < 2 * N; i += 2)
      for (int j = 2; j < 2 * N; j += 2)
        C[i/2][j/2] = 0.25 * F[i][j] + 0.125 * (F[i-1][j] + F[i+1][j] + F[i][j-1] + F[i][j+1])
                    + 0.0625 * (F[i-1][j-1] + F[i-1][j+1] + F[i+1][j-1] + F[i+1][j+1]);
    for (int i = 0; i <= N; i++)
      for (int j = 0; j <= N; j++)
        F[2*i][2*j] = C[i][j];
    for (int i = 0; i <= 2 * N; i += 2)
      for (int j = 1; j < 2 * N; j += 2)
        F[i][j] = 0.5 * (F[i][j-1] + F[i][j+1]);
    for (int i = 1; i < 2 * N; i += 2)
      for (int j = 0; j <= 2 * N; j++)
        F[i][j] = 0.5 * (F[i-1][j] + F[i+1][j]);
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
  double (*F)[2*N+1] = (double (*)[2*N+1])malloc(sizeof(double[2*N+1][2*N+1]));

  fill(F, sizeof(double[2*N+1][2*N+1]));
  double (*C)[N+1] = (double (*)[N+1])malloc(sizeof(double[N+1][N+1]));

  fill(C, sizeof(double[N+1][N+1]));
  multigrid2d(N, T, F, C);
  add_to_hash(F, sizeof(double[2*N+1][2*N+1]));
  add_to_hash(C, sizeof(double[N+1][N+1]));
  printf("%016llx\n", hash);
  return 0;
}
