/* covariance2d: Several nests of one region share arrays: means, deviations, products of columns.
 * hexcc-test: args=N,M run=1,1;2,3;3,2;5,5;16,9;33,20;64,30 warns=HX0201
 */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

static void covariance2d(int N, int M, double data[N][M], double mean[M], double dev[M],
                         double cov[M][M])
{
#pragma scop
  for (int j = 0; j < M; j++) {
    mean[j] = 0.0;
    for (int i = 0; i < N; i++)
      mean[j] += data[i][j];
    mean[j] /= N;
  }
  for (int j = 0; j < M; j++) {
    dev[j] = 0.0;
    for (int i = 0; i < N; i++)
      dev[j] += (data[i][j] - mean[j]) * (data[i][j] - mean[j]);
    dev[j] = sqrt(dev[j] / N);
    dev[j] = dev[j] <= 0.1 ? 1.0 : dev[j];
  }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      data[i][j] = (data[i][j] - mean[j]) / dev[j];
  for (int i = 0; i < M; i++)
    for (int j = i; j < M; j++) {
      cov[i][j] = 0.0;
      for (int k = 0; k < N; k++)
        cov[i][j] += data[k][i] * data[k][j];
      cov[j][i] = cov[i][j];
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
  int M = argc > 2 ? atoi(argv[2]) : 16;
  double (*data)[M] = (double (*)[M])malloc(sizeof(double[N][M]));

  fill(data, sizeof(double[N][M]));
  double *mean = (double *)malloc(sizeof(double[M]));
  double *dev = (double *)malloc(sizeof(double[M]));

  fill(mean, sizeof(double[M]));
  fill(dev, sizeof(double[M]));
  double (*cov)[M] = (double (*)[M])malloc(sizeof(double[M][M]));

  fill(cov, sizeof(double[M][M]));
  covariance2d(N, M, data, mean, dev, cov);
  add_to_hash(data, sizeof(double[N][M]));
  add_to_hash(mean, sizeof(double[M]));
  add_to_hash(dev, sizeof(double[M]));
  add_to_hash(cov, sizeof(double[M][M]));
  printf("%016llx\n", hash);
  return 0;
}
