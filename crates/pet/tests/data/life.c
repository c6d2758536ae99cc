#include <stdint.h>

typedef uint8_t cell;
static cell L[2][128][128];

void life(int T) {
  for (int t = 0; t < T; ++t)
    for (int i = 1; i < 127; ++i)
      for (int j = 1; j < 127; ++j) {
        int n = L[t % 2][i - 1][j] + L[t % 2][i + 1][j] + L[t % 2][i][j - 1] + L[t % 2][i][j + 1];
        L[(t + 1) % 2][i][j] = n == 3 || (n == 2 && L[t % 2][i][j]);
      }
}
