/* thirds2d: Reads clamped in both dimensions where the sum of the subscripts is a multiple of three, shifted ones elsewhere.
 * hexcc-test: args=N,T run=3,3;2,1;12,5;16,0;33,8;70,9 tile=h=1,w=3:4;h=3,w=4:16
 */
#include <stdio.h>
#include <stdlib.h>

static void run(int N, int T, float A[2][23][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < 23; i++)
      for (int j = 0; j < N - 1; j++) {
        if ((i + j) % 3 == 0)
          A[(t+1)%2][i][j] = 0.45f * A[t%2][i+1 > 22 ? 22 : i+1][j < 1 ? 0 : j-1] + 0.45f * A[(t+1)%2][i][j];
        else
          A[(t+1)%2][i][j] = 0.45f * A[t%2][i][j] - 0.45f * A[t%2][i-1][j+1];
      }
#pragma endscop
}

static void fill(float *x, size_t n)
{
  static unsigned state = 1;

  for (size_t k = 0; k < n; k++) {
    state = state * 1664525u + 1013904223u;
    x[k] = ((state >> 8) | 1) / 16777216.0f;
  }
}

static unsigned long long hash = 14695981039346656037ull;

static void add_to_hash(const void *data, size_t size)
{
  const unsigned char *byte = (const unsigned char *)data;

  for (size_t k = 0; k < size; k++)
    hash = (hash ^ byte[k]) * 1099511628211ull;
}

int main(int argc, char **argv)
{
  int N = argc > 1 ? atoi(argv[1]) : 64;
  int T = argc > 2 ? atoi(argv[2]) : 20;
  float (*A)[23][N] = (float (*)[23][N])malloc(sizeof(float[2][23][N]));

  fill(&A[0][0][0], 2 * 23 * (size_t)N);
  run(N, T, A);
  add_to_hash(A, sizeof(float[2][23][N]));
  printf("%016llx\n", hash);
  free(A);
  return 0;
}
