/* lattice2d: Lattice Boltzmann of nine speeds on a torus: streaming by wrap-around, then collision.
 * hexcc-test: args=N,T run=1,3;2,2;3,1;4,5;9,0;16,4;30,3 warns=HX0204
 */
#include <stdio.h>
#include <stdlib.h>

static void lattice2d(int N, int T, double f[9][N][N], double g[9][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int y = 0; y < N; y++)
      for (int x = 0; x < N; x++) {
        g[0][y][x] = f[0][y][x];
        g[1][y][x == N - 1 ? 0 : x + 1] = f[1][y][x];
        g[2][y == N - 1 ? 0 : y + 1][x] = f[2][y][x];
        g[3][y][x == 0 ? N - 1 : x - 1] = f[3][y][x];
        g[4][y == 0 ? N - 1 : y - 1][x] = f[4][y][x];
        g[5][y == N - 1 ? 0 : y + 1][x == N - 1 ? 0 : x + 1] = f[5][y][x];
        g[6][y == N - 1 ? 0 : y + 1][x == 0 ? N - 1 : x - 1] = f[6][y][x];
        g[7][y == 0 ? N - 1 : y - 1][x == 0 ? N - 1 : x - 1] = f[7][y][x];
        g[8][y == 0 ? N - 1 : y - 1][x == N - 1 ? 0 : x + 1] = f[8][y][x];
      }
    for (int y = 0; y < N; y++)
      for (int x = 0; x < N; x++) {
        double rho = 0.0;
        for (int k = 0; k < 9; k++)
          rho += g[k][y][x];
        double ux = (g[1][y][x] - g[3][y][x] + g[5][y][x] - g[6][y][x] - g[7][y][x] + g[8][y][x]) / rho;
        double uy = (g[2][y][x] - g[4][y][x] + g[5][y][x] + g[6][y][x] - g[7][y][x] - g[8][y][x]) / rho;
        f[0][y][x] = 0.4 * g[0][y][x] + 0.6 * rho * (4.0 / 9) * (1 - 1.5 * (ux * ux + uy * uy));
        for (int k = 1; k < 5; k++)
          f[k][y][x] = 0.4 * g[k][y][x] + 0.6 * rho / 9 * (1 + 0.5 * k * ux - uy * k);
        for (int k = 5; k < 9; k++)
          f[k][y][x] = 0.4 * g[k][y][x] + 0.6 * rho / 36 * (1 + ux * uy * k);
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
  double (*f)[N][N] = (double (*)[N][N])malloc(sizeof(double[9][N][N]));
  double (*g)[N][N] = (double (*)[N][N])malloc(sizeof(double[9][N][N]));

  fill(f, sizeof(double[9][N][N]));
  fill(g, sizeof(double[9][N][N]));
  lattice2d(N, T, f, g);
  add_to_hash(f, sizeof(double[9][N][N]));
  add_to_hash(g, sizeof(double[9][N][N]));
  printf("%016llx\n", hash);
  return 0;
}
