/* pulse2d: Updates within a sweep whatever the sizes are: a source in the middle, one that fades, a cell that is reset.
 * hexcc-test: args=N,T run=1,3;2,2;3,4;4,5;5,0;16,7;40,9;57,11
 */
#include <stdio.h>
#include <stdlib.h>

static void pulse2d(int N, int T, float strength, float A[2][N][N], float p[T + 1])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        A[(t + 1) % 2][i][j] = 0.2f * (A[t % 2][i][j] + A[t % 2][i - 1][j] + A[t % 2][i + 1][j]
                                       + A[t % 2][i][j - 1] + A[t % 2][i][j + 1]);
    A[(t + 1) % 2][N / 2][N / 2] += p[t + 1];
    if (N > 8) {
      A[(t + 1) % 2][N / 2][2] = 0.75f * A[(t + 1) % 2][N / 2][2] + strength;
      A[(t + 1) % 2][N - 3][N / 3] = p[0];
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
  int N = argc > 1 ? atoi(argv[1]) : 32;
  int T = argc > 2 ? atoi(argv[2]) : 5;
  size_t size = sizeof(float[2][N][N]);
  float (*A)[N][N] = malloc(size);
  float *p = malloc((T + 1) * sizeof(float));

  fill(A, size);
  fill(p, (T + 1) * sizeof(float));
  pulse2d(N, T, 0.3f, A, p);
  add_to_hash(A, size);
  printf("%016llx\n", hash);
  free(A);
  free(p);
  return 0;
}
