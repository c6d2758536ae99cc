/* pressure3d: A sum along the third dimension for each column, a scan back down, and a surface array.
 * hexcc-test: args=N,T run=1,3;2,2;3,1;4,5;8,0;12,3;18,2 warns=HX0203
 */
#include <stdio.h>
#include <stdlib.h>

static void pressure3d(int N, int T, float rho[N][N][N], float p[N][N][N], float top[N][N])
{
  float above;

#pragma scop
  for (int t = 0; t < T; t++) {
    for (int y = 0; y < N; y++)
      for (int x = 0; x < N; x++) {
        above = top[y][x];
        for (int z = N - 1; z >= 0; z--) {
          p[z][y][x] = above + 0.5f * rho[z][y][x];
          above += rho[z][y][x];
        }
        top[y][x] = 0.5f * above / N;
      }
    for (int z = 1; z < N; z++)
      for (int y = 0; y < N; y++)
        for (int x = 1; x < N; x++)
          rho[z][y][x] += 0.01f * (p[z-1][y][x] - p[z][y][x-1]);
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
  int N = argc > 1 ? atoi(argv[1]) : 10;
  int T = argc > 2 ? atoi(argv[2]) : 5;
  float (*rho)[N][N] = (float (*)[N][N])malloc(sizeof(float[N][N][N]));
  float (*p)[N][N] = (float (*)[N][N])malloc(sizeof(float[N][N][N]));

  fill(rho, sizeof(float[N][N][N]));
  fill(p, sizeof(float[N][N][N]));
  float (*top)[N] = (float (*)[N])malloc(sizeof(float[N][N]));

  fill(top, sizeof(float[N][N]));
  pressure3d(N, T, rho, p, top);
  add_to_hash(rho, sizeof(float[N][N][N]));
  add_to_hash(p, sizeof(float[N][N][N]));
  add_to_hash(top, sizeof(float[N][N]));
  printf("%016llx\n", hash);
  return 0;
}
