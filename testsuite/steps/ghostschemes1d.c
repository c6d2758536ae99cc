/* ghostschemes1d: A ring with ghost cells, and one of three sweeps in each step, which a variable chooses.
 * hexcc-test: args=N,T,scheme run=1,5,0;1,5,1;1,5,2;2,3,1;5,3,2;16,7,0;40,6,1;157,9,2;300,40,0;300,40,1;300,40,2;300,40,7
 */
#include <stdio.h>
#include <stdlib.h>

enum scheme { UPWIND, CENTRED, LEAPFROG };

static void fill(void *data, size_t size)
{
  static unsigned state = 1;
  double *x = (double *)data;

  for (size_t i = 0; i < size / sizeof *x; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = ((state >> 8) | 1) / 16777216.0;
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
  int N = argc > 1 ? atoi(argv[1]) : 100;
  int T = argc > 2 ? atoi(argv[2]) : 5;
  enum scheme scheme = argc > 3 ? atoi(argv[3]) : CENTRED;
  double c = 0.8;
  size_t size = (N + 2) * sizeof(double);
  double *u = malloc(size), *v = malloc(size), *w = malloc(size);

  fill(u, size);
  fill(v, size);
  fill(w, size);
  for (int t = 0; t < T; t++) {
    u[0] = u[N];
    u[N + 1] = u[1];
    if (scheme == UPWIND)
      for (int i = 1; i <= N; i++)
        v[i] = u[i] - c * (u[i] - u[i - 1]);
    else if (scheme == CENTRED) {
      for (int i = 1; i <= N; i++)
        v[i] = u[i] - 0.5 * c * (u[i + 1] - u[i - 1]) + 0.5 * c * c * (u[i + 1] - 2.0 * u[i] + u[i - 1]);
    } else {
      for (int k = 1; k <= N; k++)
        v[k] = w[k] - c * (u[k + 1] - u[k - 1]);
    }
    for (int i = 1; i <= N; i++)
      w[i] = u[i];
    for (int i = 1; i <= N; i++)
      u[i] = v[i];
  }
  add_to_hash(u, size);
  add_to_hash(v, size);
  add_to_hash(w, size);
  printf("%016llx\n", hash);
  return 0;
}
