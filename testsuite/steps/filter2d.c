/* filter2d: A 5x5 filter of an image without a time loop: sums in int, clamped to 0..255.
 * hexcc-test: args=H,W run=1,1;5,5;5,9;6,5;9,33;40,31;64,70 warns=HX0201
 */
#include <stdio.h>
#include <stdlib.h>

static void filter2d(int H, int W, unsigned char in[H][W], unsigned char out[H][W],
                     signed char weight[5][5])
{
#pragma scop
  for (int y = 2; y < H - 2; y++)
    for (int x = 2; x < W - 2; x++) {
      int sum = 0;
      for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++)
          sum += weight[dy+2][dx+2] * in[y+dy][x+dx];
      sum = (sum + 128) >> 8;
      out[y][x] = sum < 0 ? 0 : sum > 255 ? 255 : sum;
    }
#pragma endscop
}

static void fill(void *data, size_t size)
{
  static unsigned state = 1;
  unsigned char *x = (unsigned char *)data;

  for (size_t i = 0; i < size / sizeof *x; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = (state >> 24) | 1;
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
  int H = argc > 1 ? atoi(argv[1]) : 32;
  int W = argc > 2 ? atoi(argv[2]) : 32;
  size_t size = sizeof(unsigned char[H][W]);
  unsigned char (*in)[W] = (unsigned char (*)[W])malloc(size);
  unsigned char (*out)[W] = (unsigned char (*)[W])malloc(size);
  signed char weight[5][5];

  fill(in, size);
  fill(out, size);
  fill(weight, sizeof weight);
  filter2d(H, W, in, out, weight);
  add_to_hash(out, size);
  printf("%016llx\n", hash);
  return 0;
}
