#include <stddef.h>

enum { N = 64 };
static double ey[N][N + 1], hz[N][N];

void fdtd(int T, size_t unused, const double *restrict fict) {
  int t, i, j;
#pragma scop
  for (t = 0; t < T; t++) {
    for (j = 0; j < N; j++)
      ey[0][j] = fict[t];
    for (i = 1; i < N; i++)
      for (j = 0; j < N; j++)
        ey[i][j] = ey[i][j] - 0.5 * (hz[i][j] - hz[i - 1][j]);
  }
#pragma endscop
}
