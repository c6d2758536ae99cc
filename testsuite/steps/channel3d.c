/* channel3d: A channel that goes around along its length and its width, between walls, with a coefficient in each cell.
 * hexcc-test: args=L,H,W,T run=1,5,1,3;2,6,3,2;9,4,5,0;13,12,11,7;20,17,40,6;8,30,33,5
 */
#include <stdio.h>
#include <stdlib.h>

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
  int L = argc > 1 ? atoi(argv[1]) : 16;
  int H = argc > 2 ? atoi(argv[2]) : 16;
  int W = argc > 3 ? atoi(argv[3]) : 16;
  int T = argc > 4 ? atoi(argv[4]) : 5;
  size_t size = sizeof(double[L][H][W]);
  double (*u)[H][W] = malloc(size), (*v)[H][W] = malloc(size), (*k)[H][W] = malloc(size), (*w)[H][W];

  fill(u, size);
  fill(v, size);
  fill(k, size);
  for (int t = 0; t < T; t++) {
    for (int x = 0; x < L; x++)
      for (int y = 1; y < H - 1; y++)
        for (int z = 0; z < W; z++)
          v[x][y][z] = u[x][y][z] + 0.1 * k[x][y][z]
              * (u[(x + 1) % L][y][z] - u[(x + L - 1) % L][y][z]
                 + u[x][y + 1][z] - u[x][y - 1][z]
                 + u[x][y][(z + 1) % W] - u[x][y][(z + W - 1) % W]);
    w = u;
    u = v;
    v = w;
  }
  add_to_hash(u, size);
  add_to_hash(v, size);
  printf("%016llx\n", hash);
  free(u);
  free(v);
  free(k);
  return 0;
}
