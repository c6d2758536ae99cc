#include "heat.h"

void heat(float u[2][N][N], int steps) {
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        u[(t + 1) % 2][i][j] = 0.25f * (u[t % 2][i - 1][j] + u[t % 2][i + 1][j]
                                        + u[t % 2][i][j - 1] + u[t % 2][i][j + 1]);
}
