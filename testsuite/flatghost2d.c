/* flatghost2d: Flat arrays with ghost cells: rows of n + 2 elements, of which all but the ghosts are stepped.
 * hexcc-test: args=m,n,T run=1,1,3;2,3,1;3,3,2;4,7,5;9,5,0;16,33,7;33,16,8;48,70,9;70,40,16 tile=h=1,w=2:8;h=3,w=3:16
 */
#include <stdio.h>
#include <stdlib.h>

#define AT(a,i,j) a[((i)+1)*(n+2)+((j)+1)]

static void flatghost2d(int m, int n, int T, float *u, float *v)
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++)
        AT(v,i,j) = 0.25f * (AT(u,i-1,j) + AT(u,i+1,j) + AT(u,i,j-1) + AT(u,i,j+1));
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++)
        AT(u,i,j) = AT(v,i,j);
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
  int m = argc > 1 ? atoi(argv[1]) : 62;
  int n = argc > 2 ? atoi(argv[2]) : 94;
  int T = argc > 3 ? atoi(argv[3]) : 20;
  size_t u_size = sizeof(float) * (m + 2) * (n + 2);
  size_t v_size = sizeof(float) * (m + 2) * (n + 2);
  float *u = (float *)malloc(u_size);
  float *v = (float *)malloc(v_size);

  fill(u, u_size);
  fill(v, v_size);
  flatghost2d(m, n, T, u, v);
  add_to_hash(u, u_size);
  add_to_hash(v, v_size);
  printf("%016llx\n", hash);
  free(u);
  free(v);
  return 0;
}
