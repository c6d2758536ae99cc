/* reductions2d: Maxima, minima and counts of fields with both zeros and NaN, in one and several variables, of one, two and three loops.
 * hexcc-test: args=N,T run=1,2;2,1;3,3;17,2;40,3;300,1 warns=HX0203
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned long long hash = 14695981039346656037ull;

static void add_to_hash(const void *data, size_t size)
{
  const unsigned char *byte = (const unsigned char *)data;

  for (size_t i = 0; i < size; i++)
    hash = (hash ^ byte[i]) * 1099511628211ull;
}

static void reductions2d(int N, int T, double A[N][N], float B[N], double C[N][4][N], double *maxima, double *out)
{
  double first = -3.0, last = -3.0, taken = -1e9, dropped = 5e9, least = 1e9, change = 0;
  float peak = -1e30f;
  int cells = 0, bits = 0;
  long long odd = 0;
  unsigned product = 1;

#pragma scop
  for (int t = 0; t < T; t++) {
    maxima[t] = 0;
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        maxima[t] = fmax(maxima[t], fabs(A[i][j] - A[i-1][j]));
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) {
        first = first >= A[i][j] ? first : A[i][j];
        last = last > A[i][j] ? last : A[i][j];
        taken = A[i][j] <= taken ? taken : A[i][j];
        dropped = dropped <= A[i][j] ? dropped : A[i][j];
        least = A[i][j] < least ? A[i][j] : least;
        cells += A[i][j] > 0.5;
        odd = odd - (i + 3 * j) % 2 + 7;
        bits = bits ^ (i * 5 + j);
        product *= 2 * j + 1;
      }
    for (int i = 0; i < N; i++)
      peak = fmaxf(B[i], peak);
    for (int i = 0; i < N; i++)
      for (int k = 0; k < 4; k++)
        for (int j = 0; j < N; j++) {
          C[i][k][j] = C[i][k][j] * 0.5 + t;
          change = fabs(C[i][k][j] - A[i][j]) > change ? fabs(C[i][k][j] - A[i][j]) : change;
        }
    for (int i = 0; i < N; i++)
      B[i] = B[i] * 0.75f + (float)cells;
  }
#pragma endscop
  out[0] = first; out[1] = last; out[2] = taken; out[3] = dropped; out[4] = least; out[5] = change;
  out[6] = peak; out[7] = cells; out[8] = odd; out[9] = bits; out[10] = product;
}

int main(int argc, char **argv)
{
  int N = argc > 1 ? atoi(argv[1]) : 32;
  int T = argc > 2 ? atoi(argv[2]) : 5;
  double out[11], *maxima = (double *)calloc((size_t)T + 1, sizeof *maxima);
  double (*A)[N] = (double (*)[N])malloc(sizeof(double[N][N]));
  double (*C)[4][N] = (double (*)[4][N])malloc(sizeof(double[N][4][N]));
  float *B = (float *)malloc(sizeof(float) * N);
  unsigned state = 1;

  for (int i = 0; i < N; i++) {
    B[i] = i % 13 == 5 ? NAN : (float)(i * 7 % 31);
    for (int j = 0; j < N; j++) {
      state = state * 1664525u + 1013904223u;
      A[i][j] = state >> 29 == 3 ? 0.0 : state >> 29 == 5 ? -0.0 : state >> 24 == 17 ? NAN : -(double)(state >> 8) / 16777216.0;
      if (N == 40 && state >> 26 == 33)
        A[i][j] = -A[i][j];
      for (int k = 0; k < 4; k++)
        C[i][k][j] = A[i][j] + k;
    }
  }
  reductions2d(N, T, A, B, C, maxima, out);
  add_to_hash(maxima, sizeof *maxima * T);
  add_to_hash(C, sizeof(double[N][4][N]));
  add_to_hash(out, sizeof out);
  printf("%016llx\n", hash);
  for (int k = 0; k < 11; k++)
    printf("%.9g\n", out[k]);
  free(maxima);
  free(A);
  free(B);
  free(C);
  return 0;
}
