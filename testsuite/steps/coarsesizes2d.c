/* coarsesizes2d: threads of several cells that move elements of all sizes: bytes beside numbers of 2, 4 and 8 bytes.
 * hexcc-test: args=N,M,T run=3,4,2;8,8,3;13,12,2;9,6,1;5,7,3;16,32,4;31,36,3;64,68,2 variants=--kernel=coarsened;--kernel=streamed;--kernel=tiled;--kernel=streamed-tiled;--kernel=tiled,--cells=1x1;--kernel=coarsened,--cells=4x1 flags=--tiling,stepwise
 */
#include <stdio.h>
#include <stdlib.h>

static void coarsesizes2d(int N, int M, int T, unsigned char image[N][M], signed char sign[N][M], short level[N][M],
                          unsigned short edge[N][M], int sum[N][M], unsigned count[N][M], float near[N][M],
                          long long total[N][M], double far[N][M])
{
  for (int t = 0; t < T; t++) {
    /* 1, 2 and 4 bytes */
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < M - 1; j++) {
        sum[i][j] = image[i - 1][j] + image[i + 1][j] + 2 * image[i][j - 1] - image[i][j + 1] + sign[i][j];
        level[i][j] = (short)(sum[i][j] / 4);
        near[i][j] = 0.5f * level[i][j] + 0.25f * image[i][j];
      }
    /* all of one byte */
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < M - 1; j++)
        sign[i][j] = (signed char)(image[i][j - 1] > image[i][j + 1] ? -(image[i][j] % 16) : image[i][j] % 16);
    /* 2 and 4 bytes, read beside the cell */
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < M - 1; j++) {
        edge[i][j] = (unsigned short)(level[i - 1][j] - level[i + 1][j] + 3 * level[i][j + 1]);
        count[i][j] += edge[i][j] > 40u ? 3u : 1u;
      }
    /* 1, 4 and 8 bytes */
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < M - 1; j++) {
        total[i][j] = total[i][j] * 3 + image[i][j - 1] - (long long)count[i + 1][j];
        far[i][j] = 0.125 * near[i][j] + 0.5 * (near[i - 1][j] + near[i][j + 1]) + total[i][j];
      }
    for (int i = 0; i < N; i++)
      for (int j = 0; j < M; j++)
        image[i][j] = (unsigned char)(image[i][j] + sign[i][j] + (int)far[i][j] % 7);
  }
}

static void fill(void *data, size_t size)
{
  static unsigned state = 1;
  unsigned char *x = (unsigned char *)data;

  for (size_t i = 0; i < size; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = (unsigned char)(state >> 24);
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
  int N = argc > 1 ? atoi(argv[1]) : 24;
  int M = argc > 2 ? atoi(argv[2]) : 32;
  int T = argc > 3 ? atoi(argv[3]) : 5;
  size_t n = (size_t)N * M;
  unsigned char *image = (unsigned char *)malloc(n);
  signed char *sign = (signed char *)malloc(n);
  short *level = (short *)malloc(2 * n);
  unsigned short *edge = (unsigned short *)malloc(2 * n);
  int *sum = (int *)malloc(4 * n);
  unsigned *count = (unsigned *)malloc(4 * n);
  float *near = (float *)calloc(n, 4);
  long long *total = (long long *)calloc(n, 8);
  double *far = (double *)calloc(n, 8);

  fill(image, n);
  fill(sign, n);
  fill(level, 2 * n);
  fill(edge, 2 * n);
  fill(sum, 4 * n);
  fill(count, 4 * n);
  coarsesizes2d(N, M, T, (unsigned char (*)[M])image, (signed char (*)[M])sign, (short (*)[M])level,
                (unsigned short (*)[M])edge, (int (*)[M])sum, (unsigned (*)[M])count, (float (*)[M])near,
                (long long (*)[M])total, (double (*)[M])far);
  add_to_hash(image, n);
  add_to_hash(sign, n);
  add_to_hash(level, 2 * n);
  add_to_hash(edge, 2 * n);
  add_to_hash(sum, 4 * n);
  add_to_hash(count, 4 * n);
  add_to_hash(near, 4 * n);
  add_to_hash(total, 8 * n);
  add_to_hash(far, 8 * n);
  printf("%016llx\n", hash);
  free(image);
  free(sign);
  free(level);
  free(edge);
  free(sum);
  free(count);
  free(near);
  free(total);
  free(far);
  return 0;
}
