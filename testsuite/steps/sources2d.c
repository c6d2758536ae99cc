/* sources2d: Updates of single cells and of a row behind a sweep: two sources that may be one cell, a damped row and a reset.
 * hexcc-test: args=N,I,J,T run=1,0,0,3;2,1,1,2;3,1,1,3;4,1,2,5;9,4,4,0;16,8,8,7;40,20,3,6;57,28,28,9;30,29,29,4
 */
#include <stdio.h>
#include <stdlib.h>

static void sources2d(int N, int I, int J, int T, float A[2][N][N], float p[T + 1])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        A[(t + 1) % 2][i][j] = 0.2f * (A[t % 2][i][j] + A[t % 2][i - 1][j] + A[t % 2][i + 1][j]
                                       + A[t % 2][i][j - 1] + A[t % 2][i][j + 1]);
    A[(t + 1) % 2][I][J] += p[t];
    A[(t + 1) % 2][N / 2][N / 2] = 0.9f * A[(t + 1) % 2][N / 2][N / 2] - 0.5 * p[t + 1];
    if (N > 5)
      for (int j = 2; j < N - 2; j++)
        A[(t + 1) % 2][3][j] *= 0.75f;
    A[(t + 1) % 2][N - 1][0] = p[t];
    A[(t + 1) % 2][J][I] = 0.25f;
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
  int I = argc > 2 ? atoi(argv[2]) : 16;
  int J = argc > 3 ? atoi(argv[3]) : 5;
  int T = argc > 4 ? atoi(argv[4]) : 5;
  size_t size = sizeof(float[2][N][N]);
  float (*A)[N][N] = malloc(size);
  float *p = malloc((T + 1) * sizeof(float));

  fill(A, size);
  fill(p, (T + 1) * sizeof(float));
  sources2d(N, I, J, T, A, p);
  add_to_hash(A, size);
  printf("%016llx\n", hash);
  free(A);
  free(p);
  return 0;
}
