/* pointertables2d: A gas on a lattice with its planes in tables of pointers, which are exchanged one by one; both tables may overlap.
 * hexcc-test: args=N,M,T,K run=3,3,4,9;4,9,1,9;5,4,3,1;8,8,0,9;9,7,2,0;12,33,5,9;30,40,6,8;40,70,9,9
 */
#include <stdio.h>
#include <stdlib.h>

#define Q 9

static const int ex[Q] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, ey[Q] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const float w[Q] = {4 / 9.0f, 1 / 9.0f, 1 / 9.0f, 1 / 9.0f, 1 / 9.0f,
                           1 / 36.0f, 1 / 36.0f, 1 / 36.0f, 1 / 36.0f};

static void run(float *f[Q], float **g, int n, int m, int steps, float omega)
{
  int k;

  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++) {
        float in[Q], rho = 0, ux = 0, uy = 0;
        for (k = 0; k < Q; k++) {
          in[k] = f[k][(i - ey[k]) * m + j - ex[k]];
          rho += in[k];
          ux += ex[k] * in[k];
          uy += ey[k] * in[k];
        }
        ux /= rho;
        uy /= rho;
        for (k = 0; k < Q; k++) {
          float eu = 3 * (ex[k] * ux + ey[k] * uy);
          g[k][i * m + j] = in[k] + omega * (w[k] * rho * (1 + eu + 0.5f * eu * eu - 1.5f * (ux * ux + uy * uy)) - in[k]);
        }
      }
    for (k = 0; k < Q; k++) {
      float *held = f[k];
      f[k] = g[k];
      g[k] = held;
    }
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
  int n = argc > 1 ? atoi(argv[1]) : 40;
  int m = argc > 2 ? atoi(argv[2]) : 50;
  int steps = argc > 3 ? atoi(argv[3]) : 5;
  int apart = argc > 4 ? atoi(argv[4]) : Q;
  size_t cells = (size_t)n * m;
  float *planes[2 * Q];
  unsigned state = 1;

  for (int k = 0; k < 2 * Q; k++) {
    planes[k] = malloc(cells * sizeof(float));
    for (size_t i = 0; i < cells; i++) {
      state = state * 1664525u + 1013904223u;
      planes[k][i] = w[k % Q] * (1 + (state >> 8) / 16777216.0f / 8);
    }
  }
  run(planes, planes + apart, n, m, steps, 0.8f);
  for (int k = 0; k < 2 * Q; k++)
    add_to_hash(planes[k], cells * sizeof(float));
  printf("%016llx\n", hash);
  return 0;
}
