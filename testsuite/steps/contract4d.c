/* contract4d: A tensor of four indices transformed along one of them after the other.
 * hexcc-test: args=N run=1;2;3;5;8 warns=HX0203
 */
#include <stdio.h>
#include <stdlib.h>

static void contract4d(int N, double G[N][N][N][N], double H[N][N][N][N], double C[N][N])
{
#pragma scop
  for (int p = 0; p < N; p++)
    for (int q = 0; q < N; q++)
      for (int r = 0; r < N; r++)
        for (int s = 0; s < N; s++) {
          H[p][q][r][s] = 0.0;
          for (int m = 0; m < N; m++)
            H[p][q][r][s] += C[m][s] * G[p][q][r][m];
        }
  for (int q = 0; q < N; q++)
    for (int r = 0; r < N; r++)
      for (int s = 0; s < N; s++)
        for (int p = 0; p < N; p++) {
          double sum = 0.0;
          for (int m = 0; m < N; m++)
            sum += C[m][p] * H[m][q][r][s];
          G[p][q][r][s] = sum;
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
  int N = argc > 1 ? atoi(argv[1]) : 6;
  double (*G)[N][N][N] = (double (*)[N][N][N])malloc(sizeof(double[N][N][N][N]));
  double (*H)[N][N][N] = (double (*)[N][N][N])malloc(sizeof(double[N][N][N][N]));

  fill(G, sizeof(double[N][N][N][N]));
  fill(H, sizeof(double[N][N][N][N]));
  double (*C)[N] = (double (*)[N])malloc(sizeof(double[N][N]));

  fill(C, sizeof(double[N][N]));
  contract4d(N, G, H, C);
  add_to_hash(G, sizeof(double[N][N][N][N]));
  add_to_hash(H, sizeof(double[N][N][N][N]));
  printf("%016llx\n", hash);
  return 0;
}
