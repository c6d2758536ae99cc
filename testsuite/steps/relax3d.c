/* relax3d: Successive over-relaxation in place in two colours; the colour is a loop of the host.
 * hexcc-test: args=N,T run=1,3;2,2;3,1;4,5;8,0;12,3;18,2 warns=HX0203
 */
#include <stdio.h>
#include <stdlib.h>

static void relax3d(int N, int T, double U[N][N][N], double F[N][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int colour = 0; colour <= 1; colour++)
      for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
          for (int k = 1; k < N - 1; k++)
            if ((i + j + k) % 2 == colour) {
              double sum = U[i-1][j][k] + U[i+1][j][k] + U[i][j-1][k] + U[i][j+1][k]
                         + U[i][j][k-1] + U[i][j][k+1];
              U[i][j][k] = -0.5 * U[i][j][k] + 0.25 * (sum - F[i][j][k]);
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
  int N = argc > 1 ? atoi(argv[1]) : 10;
  int T = argc > 2 ? atoi(argv[2]) : 5;
  double (*U)[N][N] = (double (*)[N][N])malloc(sizeof(double[N][N][N]));
  double (*F)[N][N] = (double (*)[N][N])malloc(sizeof(double[N][N][N]));

  fill(U, sizeof(double[N][N][N]));
  fill(F, sizeof(double[N][N][N]));
  relax3d(N, T, U, F);
  add_to_hash(U, sizeof(double[N][N][N]));
  printf("%016llx\n", hash);
  return 0;
}
