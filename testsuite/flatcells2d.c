/* flatcells2d: A flat array with three numbers in each cell, p[(i*m+j)*3+k], rows of any length.
 * hexcc-test: args=N,M,T run=3,3,2;4,3,3;9,5,5;17,4,0;40,7,7;12,65,4 tile=h=1,w=1:3:3;h=3,w=3:16:3
 */
#include <stdio.h>
#include <stdlib.h>

static void flatcells2d(int n, int m, int T, float *p, float *q)
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++)
        for (int k = 0; k < 3; k++)
          q[(i*m + j)*3 + k] = 0.25f * (p[((i-1)*m + j)*3 + k] + p[((i+1)*m + j)*3 + k])
                               + 0.125f * (p[(i*m + j-1)*3 + k] + p[(i*m + j+1)*3 + k]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++)
        for (int k = 0; k < 3; k++)
          p[(i*m + j)*3 + k] = q[(i*m + j)*3 + k] + 0.0625f * p[3*(i*m + j) + k];
  }
#pragma endscop
}

static void fill(float *x, int n)
{
  static unsigned state = 1;

  for (int i = 0; i < n; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = (state >> 8) / 16777216.0f;
  }
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 200;
  int m = argc > 2 ? atoi(argv[2]) : 300;
  int T = argc > 3 ? atoi(argv[3]) : 20;
  float *p = malloc(sizeof(float) * n * m * 3), *q = malloc(sizeof(float) * n * m * 3);
  unsigned long long hash = 14695981039346656037ull;

  fill(p, n * m * 3);
  fill(q, n * m * 3);
  flatcells2d(n, m, T, p, q);
  for (size_t i = 0; i < sizeof(float) * n * m * 3; i++)
    hash = (hash ^ ((unsigned char *)p)[i]) * 1099511628211ull;
  printf("%016llx\n", hash);
  free(p);
  free(q);
  return 0;
}
