/* outertemp2d: Scalars declared before the region are temporaries in it, beside a small local array.
 * hexcc-test: args=N,T run=1,3;2,2;3,1;4,2;9,0;16,3;40,3 warns=HX0203
 */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

static void outertemp2d(int N, int T, double A[N][N], double B[N][N])
{
  double gx, gy, size;

#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++) {
        double edge[4];
        gx = A[i][j+1] - A[i][j-1];
        gy = A[i+1][j] - A[i-1][j];
        edge[0] = fabs(gx + gy);
        edge[1] = fabs(gx - gy);
        edge[2] = fabs(gx);
        edge[3] = fabs(gy);
        size = 0.0;
        for (int k = 0; k < 4; k++)
          size = fmax(size, edge[k]);
        B[i][j] = A[i][j] / (1.0 + size);
      }
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++) {
        size = B[i][j];
        A[i][j] = size * size + 0.1 * A[i][j];
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
  double (*A)[N] = (double (*)[N])malloc(sizeof(double[N][N]));
  double (*B)[N] = (double (*)[N])malloc(sizeof(double[N][N]));

  fill(A, sizeof(double[N][N]));
  fill(B, sizeof(double[N][N]));
  outertemp2d(N, T, A, B);
  add_to_hash(A, sizeof(double[N][N]));
  add_to_hash(B, sizeof(double[N][N]));
  printf("%016llx\n", hash);
  return 0;
}
