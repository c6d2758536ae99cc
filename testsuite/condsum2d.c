/* condsum2d: A sum into a local variable, of the neighbours that there are: every combination is a statement.
 * hexcc-test: args=N,T run=1,3;2,2;3,2;9,0;16,7;33,8 tile=h=1,w=2:8;h=2,w=3:16
 */
#include <stdio.h>
#include <stdlib.h>

static void condsum2d(int N, int T, float A[2][N][N])
{
  float sum;

#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) {
        int n = 0;
        sum = 0;
        if (i > 0) {
          sum += A[t%2][i-1][j];
          n++;
        }
        if (i < N - 1) {
          sum += A[t%2][i+1][j];
          n++;
        }
        if (j > 0) {
          sum += A[t%2][i][j-1];
          n++;
        }
        if (j < N - 1) {
          sum += A[t%2][i][j+1];
          n++;
        }
        A[(t+1)%2][i][j] = 0.5f * A[t%2][i][j] + 0.1f * sum - 0.001f * n * sum;
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
  int N = argc > 1 ? atoi(argv[1]) : 100;
  int T = argc > 2 ? atoi(argv[2]) : 10;
  float (*A)[N][N] = malloc(sizeof(float) * 2 * N * N);

  if (!A)
    return 1;
  fill(A, sizeof(float) * 2 * N * N);
  condsum2d(N, T, A);
  add_to_hash(A, sizeof(float) * 2 * N * N);
  printf("condsum2d %d %d %016llx\n", N, T, hash);
  free(A);
  return 0;
}
