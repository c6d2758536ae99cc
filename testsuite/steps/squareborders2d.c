/* squareborders2d: Borders of flat arrays whose rows have two lengths in the program, which fit where both are equal.
 * hexcc-test: args=NX,NY,T run=1,1,2;2,2,3;3,3,2;4,4,0;5,5,7;6,5,3;7,9,4;33,33,9;70,70,20;40,36,8
 */
#include <stdio.h>
#include <stdlib.h>

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
  int NX = argc > 1 ? atoi(argv[1]) : 40;
  int NY = argc > 2 ? atoi(argv[2]) : 40;
  int T = argc > 3 ? atoi(argv[3]) : 5;
  int most = NX > NY ? NX : NY;
  size_t size = (size_t)most * most * sizeof(float);
  float *u = malloc(size), *v = malloc(size), *w;

  fill(u, size);
  fill(v, size);
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < NX - 1; i++)
      for (int j = 1; j < NY - 1; j++)
        v[i * NY + j] = u[i * NY + j] + 0.2f * (u[(i + 1) * NY + j] + u[(i - 1) * NY + j] - 2 * u[i * NY + j])
                        + 0.2f * (u[i * NY + j + 1] + u[i * NY + j - 1] - 2 * u[i * NY + j]);
    for (int i = 0; i < NX; i++) {
      v[0 * NY + i] = 0.0f;
      v[NY * (NX - 1) + i] = 0.5f;
    }
    for (int j = 0; j < NY; j++) {
      v[0 + j * NX] = 0.25f;
      v[(NY - 1) + j * NX] = 0.0f;
    }
    w = u;
    u = v;
    v = w;
  }
  add_to_hash(u, size);
  add_to_hash(v, size);
  printf("%016llx\n", hash);
  free(u);
  free(v);
  return 0;
}
