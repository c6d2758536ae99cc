/* varext: Two extents, and loops whose margins differ on each side: the stencil reads 3 cells to
 * the left, 2 to the right, 1 up and 2 down.
 * hexcc-test: args=NX,NY,T run=1,1,3;2,5,1;3,3,2;5,40,5;40,6,3;17,9,0;16,33,7;48,31,8;64,90,9;37,70,16;70,90,17 tile=h=1,w=2:8;h=2,w=3:16 stream=steps=4,vector=1
 */
#include <stdio.h>
#include <stdlib.h>

static void varext(int NX, int NY, int T, float A[2][NX][NY])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < NX - 2; i++)
      for (int j = 3; j < NY - 2; j++)
        A[(t+1)%2][i][j] = 0.4f * A[t%2][i][j]
                         + 0.15f * (A[t%2][i-1][j] + A[t%2][i+2][j])
                         + 0.15f * (A[t%2][i][j-3] + A[t%2][i][j+2]);
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
  int NX = argc > 1 ? atoi(argv[1]) : 64;
  int NY = argc > 2 ? atoi(argv[2]) : 80;
  int T = argc > 3 ? atoi(argv[3]) : 20;
  size_t size = sizeof(float[2][NX][NY]);
  float (*A)[NX][NY] = (float (*)[NX][NY])malloc(size);

  fill(A, size);
  varext(NX, NY, T, A);
  add_to_hash(A, size);
  printf("%016llx\n", hash);
  free(A);
  return 0;
}
