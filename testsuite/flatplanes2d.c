/* flatplanes2d: A flat array with two planes for time, behind a macro with the subscript.
 * hexcc-test: args=n,T run=1,3;2,1;3,2;4,5;9,0;16,7;33,8;48,9;70,17 tile=h=1,w=2:8;h=3,w=3:16 stream=steps=4,vector=1
 */
#include <stdio.h>
#include <stdlib.h>

#define IDX(t,i,j) (((t)%2)*n*n + (i)*n + (j))

static void flatplanes2d(int n, int T, float *u)
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        u[IDX(t+1,i,j)] = 0.2f * (u[IDX(t,i,j)] + u[IDX(t,i-1,j)] + u[IDX(t,i+1,j)]
                                  + u[IDX(t,i,j-1)] + u[IDX(t,i,j+1)]);
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
  int n = argc > 1 ? atoi(argv[1]) : 64;
  int T = argc > 2 ? atoi(argv[2]) : 20;
  size_t u_size = sizeof(float) * 2 * n * n;
  float *u = (float *)malloc(u_size);

  fill(u, u_size);
  flatplanes2d(n, T, u);
  add_to_hash(u, u_size);
  printf("%016llx\n", hash);
  free(u);
  return 0;
}
