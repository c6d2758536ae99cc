/* states2d: Two coupled fields in an array of two structs, which the number of the step selects, given to a function by pointers.
 * hexcc-test: args=N,M,T run=1,1,3;2,9,1;3,3,2;5,17,5;9,9,0;64,70,7;130,65,8;33,200,13
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

struct state {
  float *u, *v;
};

static void step(int n, int m, const struct state *from, struct state *to)
{
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++) {
      int c = i * m + j;
      float u = from->u[c], v = from->v[c];

      to->u[c] = u + 0.125f * (from->u[c - m] + from->u[c + m] + from->u[c - 1] + from->u[c + 1] - 4 * u) - 0.25f * v;
      to->v[c] = v + 0.0625f * (u - 0.5f * v);
    }
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 32;
  int m = argc > 2 ? atoi(argv[2]) : 32;
  int T = argc > 3 ? atoi(argv[3]) : 5;
  size_t size = sizeof(float) * n * m;
  struct state s[2];

  for (int k = 0; k < 2; k++) {
    s[k].u = malloc(size);
    s[k].v = malloc(size);
    fill(s[k].u, size);
    fill(s[k].v, size);
  }
  for (int t = 1; t <= T; t++) {
    int to = t & 1;

    step(n, m, &s[1 - to], &s[to]);
    if (t % 5 == 0)
      printf("%d: %a\n", t, s[to].u[n / 2 * m + m / 2]);
  }
  for (int k = 0; k < 2; k++) {
    add_to_hash(s[k].u, size);
    add_to_hash(s[k].v, size);
    free(s[k].u);
    free(s[k].v);
  }
  printf("%016llx\n", hash);
  return 0;
}
