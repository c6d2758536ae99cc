/* carried1d: Scalars that one time step hands to the next: a clock, a counter, and the values
 * that an absorbing boundary remembers.
 * hexcc-test: args=N,T run=1,3;2,5;3,2;5,1;16,7;17,0;40,9;64,8;129,16;300,17 tile=h=3,w=4;h=7,w=8;h=11,w=12
 */
#include <stdio.h>
#include <stdlib.h>

static float carried1d(int N, int T, float A[N], float B[N], int *steps)
{
  float before = 0.25f, twice_before = 0.5f;
  double time = 1.0, dt = 1.0 / 3.0;
  int n = 0;

#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      B[i] = 0.33f * (A[i-1] + A[i] + A[i+1]);
    for (int i = 1; i < N - 1; i++)
      A[i] = B[i];
    if (N > 2) {
      A[0] = twice_before;
      twice_before = before;
      before = A[1];
    }
    time += dt;
    n++;
  }
#pragma endscop
  *steps = n;
  return (float)time + before - twice_before;
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
  int N = argc > 1 ? atoi(argv[1]) : 256;
  int T = argc > 2 ? atoi(argv[2]) : 20;
  size_t size = sizeof(float[N]);
  float *A = (float *)malloc(size);
  float *B = (float *)malloc(size);
  int steps;
  float end;

  fill(A, size);
  fill(B, size);
  end = carried1d(N, T, A, B, &steps);
  add_to_hash(A, size);
  add_to_hash(&end, sizeof end);
  printf("%016llx %d\n", hash, steps);
  free(A);
  free(B);
  return 0;
}
