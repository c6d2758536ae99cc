/* overrelaxed3d: Successive over-relaxation in place in 3D with a largest change for each sweep, by i + j + k.
 * hexcc-test: args=N,T run=2,2;3,2;4,3;5,1;7,4;10,0;11,3 warns=HX0203
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void overrelaxed3d(int N, int T, double u[N][N][N], double f[N][N][N], double change[T + 1])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    double most = 0.0;
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++) {
          double d = 1.4 * ((u[i-1][j][k] + u[i+1][j][k] + u[i][j-1][k] + u[i][j+1][k]
                             + u[i][j][k-1] + u[i][j][k+1] - f[i][j][k]) / 6.0 - u[i][j][k]);
          u[i][j][k] += d;
          if (fabs(d) > most)
            most = fabs(d);
        }
    change[t] = most;
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
  double (*u)[N][N] = (double (*)[N][N])malloc(sizeof(double[N][N][N]));
  double (*f)[N][N] = (double (*)[N][N])malloc(sizeof(double[N][N][N]));
  double *change = (double *)malloc(sizeof(double[T + 1]));

  fill(u, sizeof(double[N][N][N]));
  fill(f, sizeof(double[N][N][N]));
  fill(change, sizeof(double[T + 1]));
  overrelaxed3d(N, T, u, f, change);
  add_to_hash(u, sizeof(double[N][N][N]));
  add_to_hash(f, sizeof(double[N][N][N]));
  add_to_hash(change, sizeof(double[T + 1]));
  printf("%016llx\n", hash);
  return 0;
}
