/* rotations2d: Float and double mixed, with square roots: Givens rotations of pairs of rows.
 * hexcc-test: args=N,T run=1,3;2,2;3,1;4,5;9,0;16,3;40,3 warns=HX0203
 */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

static void rotations2d(int N, int T, float A[2*N][N], double angle[N])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int p = 0; p < N; p++) {
      float x = A[2*p][p], y = A[2*p+1][p];
      double r = sqrt((double)x * x + y * y);
      angle[p] = fabs(x / (r + 1.0)) + fabsf(y) / (1 + sqrtf(fabsf(x)));
    }
    for (int p = 0; p < N; p++)
      for (int j = 0; j < N; j++) {
        double c = angle[p] / 2, s = 1.0 / (1.0 + c * c);
        float upper = A[2*p][j];
        A[2*p][j] = c * upper + s * A[2*p+1][j];
        A[2*p+1][j] = 0.5f * (c * A[2*p+1][j] - (float)s * upper);
      }
  }
#pragma endscop
}

static void fill(void *data, size_t size)
{
  static unsigned state = 1;
  float *x = (float *)data;

  for (size_t i = 0; i < size / sizeof *x; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = ((state >> 8) | 1) / 16777216.0f;
  }
}

static void fill_double(void *data, size_t size)
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
  float (*A)[N] = (float (*)[N])malloc(sizeof(float[2*N][N]));

  fill(A, sizeof(float[2*N][N]));
  double *angle = (double *)malloc(sizeof(double[N]));

  fill_double(angle, sizeof(double[N]));
  rotations2d(N, T, A, angle);
  add_to_hash(A, sizeof(float[2*N][N]));
  add_to_hash(angle, sizeof(double[N]));
  printf("%016llx\n", hash);
  return 0;
}
