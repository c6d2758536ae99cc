#include "heat.h"
#include <stdio.h>

static float u[2][N][N];

int main(void) {
  const int steps = 100;
  for (int j = 0; j < N; j++) u[0][0][j] = u[1][0][j] = 100.0f;
  heat(u, steps);
  printf("%.6f\n", u[steps % 2][3][N / 2]);
}
