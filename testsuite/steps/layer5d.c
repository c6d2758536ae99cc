/* layer5d: A convolution over channels: five loops that are independent and three of a sum.
 * hexcc-test: args=B,K,N run=1,1,3;1,2,3;2,1,5;2,3,7;3,4,10 warns=HX0203
 */
#include <stdio.h>
#include <stdlib.h>

static void layer5d(int B, int K, int N, float out[B][K][2][N][N], float in[B][K][N][N],
                    float weight[K][K][2][3][3], float bias[K])
{
#pragma scop
  for (int b = 0; b < B; b++)
    for (int k = 0; k < K; k++)
      for (int side = 0; side < 2; side++)
        for (int y = 1; y < N - 1; y++)
          for (int x = 1; x < N - 1; x++) {
            out[b][k][side][y][x] = bias[k];
            for (int c = 0; c < K; c++)
              for (int dy = 0; dy < 3; dy++)
                for (int dx = 0; dx < 3; dx++)
                  out[b][k][side][y][x] += weight[k][c][side][dy][dx] * in[b][c][y+dy-1][x+dx-1];
            if (side == 1)
              out[b][k][side][y][x] = out[b][k][side][y][x] > 1.0f ? out[b][k][side][y][x] : 0.0f;
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

static unsigned long long hash = 14695981039346656037ull;

static void add_to_hash(const void *data, size_t size)
{
  const unsigned char *byte = (const unsigned char *)data;

  for (size_t i = 0; i < size; i++)
    hash = (hash ^ byte[i]) * 1099511628211ull;
}

int main(int argc, char **argv)
{
  int B = argc > 1 ? atoi(argv[1]) : 2;
  int K = argc > 2 ? atoi(argv[2]) : 3;
  int N = argc > 3 ? atoi(argv[3]) : 8;
  float (*out)[K][2][N][N] = (float (*)[K][2][N][N])malloc(sizeof(float[B][K][2][N][N]));

  fill(out, sizeof(float[B][K][2][N][N]));
  float (*in)[K][N][N] = (float (*)[K][N][N])malloc(sizeof(float[B][K][N][N]));

  fill(in, sizeof(float[B][K][N][N]));
  float (*weight)[K][2][3][3] = (float (*)[K][2][3][3])malloc(sizeof(float[K][K][2][3][3]));

  fill(weight, sizeof(float[K][K][2][3][3]));
  float *bias = (float *)malloc(sizeof(float[K]));

  fill(bias, sizeof(float[K]));
  layer5d(B, K, N, out, in, weight, bias);
  add_to_hash(out, sizeof(float[B][K][2][N][N]));
  printf("%016llx\n", hash);
  return 0;
}
