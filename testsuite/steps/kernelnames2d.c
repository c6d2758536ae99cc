/* kernelnames2d: Sizes and arrays have the names that parameters of kernels have.
 * hexcc-test: args=time,steps run=1,3;2,2;3,4;4,5;5,0;16,7;40,9;57,11
 */
#include <stdio.h>
#include <stdlib.h>

static void kernelnames2d(int time, int steps, float tiles, float A[2][time][time], float share[steps + 1])
{
#pragma scop
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < time - 1; i++)
      for (int j = 1; j < time - 1; j++)
        A[(t + 1) % 2][i][j] = 0.2f * (A[t % 2][i][j] + A[t % 2][i - 1][j] + A[t % 2][i + 1][j]
                                       + A[t % 2][i][j - 1] + A[t % 2][i][j + 1]);
    A[(t + 1) % 2][time / 2][time / 2] += share[t + 1];
    if (time > 8) {
      A[(t + 1) % 2][time / 2][2] = 0.75f * A[(t + 1) % 2][time / 2][2] + tiles;
      A[(t + 1) % 2][time - 3][time / 3] = share[0];
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
  int time = argc > 1 ? atoi(argv[1]) : 32;
  int steps = argc > 2 ? atoi(argv[2]) : 5;
  size_t size = sizeof(float[2][time][time]);
  float (*A)[time][time] = malloc(size);
  float *share = malloc((steps + 1) * sizeof(float));

  fill(A, size);
  fill(share, (steps + 1) * sizeof(float));
  kernelnames2d(time, steps, 0.3f, A, share);
  add_to_hash(A, size);
  printf("%016llx\n", hash);
  free(A);
  free(share);
  return 0;
}
