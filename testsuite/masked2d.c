/* masked2d: Heat in a plate with holes, capped and with a source that switches: conditions on data.
 * hexcc-test: args=N,T run=1,3;3,2;4,5;9,0;16,7;33,8;48,9;70,17 tile=h=1,w=1:4;h=1,w=2:8;h=3,w=3:16
 */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

static void masked2d(int N, int T, int hole[N][N], short spent[N][N], float A[2][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++) {
        float gain, next = 0.25f * (A[t%2][i-1][j] + A[t%2][i+1][j] + A[t%2][i][j-1] + A[t%2][i][j+1]);

        if (next > 0.75f)
          next = 0.75f;
        else if (next < 0.01f) {
          next = 0.01f;
        }
        if (fabsf(next - A[t%2][i][j]) > 0.2f) {
          gain = -0.1f;
          spent[i][j] += 1.5;
        } else {
          gain = 0.05f;
          spent[i][j] -= 1;
        }
        if (!hole[i][j]) {
          float all = next + gain;
          if (spent[i][j] > 3)
            all = next;
          A[(t+1)%2][i][j] = all;
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

static unsigned long long hash = 14695981039346656037ull;

static void add_to_hash(const void *data, size_t size)
{
  const unsigned char *byte = (const unsigned char *)data;

  for (size_t i = 0; i < size; i++)
    hash = (hash ^ byte[i]) * 1099511628211ull;
}

int main(int argc, char **argv)
{
  int N = argc > 1 ? atoi(argv[1]) : 64;
  int T = argc > 2 ? atoi(argv[2]) : 20;
  float (*A)[N][N] = (float (*)[N][N])malloc(sizeof(float[2][N][N]));
  int (*hole)[N] = (int (*)[N])malloc(sizeof(int[N][N]));
  short (*spent)[N] = (short (*)[N])calloc(N, sizeof(short[N]));

  fill(A, sizeof(float[2][N][N]));
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      hole[i][j] = A[0][i][j] > 0.9f;
  masked2d(N, T, hole, spent, A);
  add_to_hash(A, sizeof(float[2][N][N]));
  add_to_hash(spent, sizeof(short[N][N]));
  printf("%016llx\n", hash);
  free(A);
  free(hole);
  free(spent);
  return 0;
}
