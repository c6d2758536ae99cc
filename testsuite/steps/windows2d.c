/* windows2d: A game of life whose loops over neighbours begin at the cell before, and wrap around in the subscripts;
 * another one that counts those inside by one condition.
 * hexcc-test: args=T run=1;2;14;33
 */
#include <stdio.h>
#include <stdlib.h>

#define W 30
#define H 22

static unsigned char live[H][W], next[H][W];

int main(int argc, char **argv)
{
  int most = argc > 1 ? atoi(argv[1]) : 14;
  unsigned sum = 0;

  for (int i = 0; i < H; i++)
    for (int j = 0; j < W; j++)
      live[i][j] = (i * 7 + j * 13 + i * j) % 5 < 2;
  for (int t = 0; t < most; t++) {
    for (int y = 0; y < H; y++)
      for (int x = 0; x < W; x++) {
        int n = 0;
        for (int y1 = y - 1; y1 <= y + 1; y1++)
          for (int x1 = x - 1; x1 <= x + 1; x1++)
            if (live[(y1 + H) % H][(x1 + W) % W])
              n++;
        if (live[y][x])
          n--;
        next[y][x] = n == 3 || (n == 2 && live[y][x]) ? 1 : 0;
      }
    for (int y = 0; y < H; y++)
      for (int x = 0; x < W; x++)
        live[y][x] = next[y][x];
  }
  for (int t = 0; t < most; t++) {
    for (int y = 0; y < H; y++)
      for (int x = 0; x < W; x++) {
        int n = 0;
        for (int dy = -1; dy <= 1; dy++)
          for (int dx = -1; dx <= 1; dx++) {
            int y1 = y + dy, x1 = x + dx;
            if (dx == 0 && dy == 0)
              continue;
            if (y1 >= 0 && y1 < H && x1 >= 0 && x1 < W && live[y1][x1])
              n++;
          }
        next[y][x] = n == 3 || (n == 2 && live[y][x]) ? 1 : 0;
      }
    for (int y = 0; y < H; y++)
      for (int x = 0; x < W; x++)
        live[y][x] = next[y][x];
  }
  for (int i = 0; i < H; i++)
    for (int j = 0; j < W; j++)
      sum = sum * 31 + live[i][j];
  printf("%u\n", sum);
  return 0;
}
