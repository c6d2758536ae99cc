/* fdtd2d: 2D finite-difference time domain, three fields updated in place.
 * -DREAL=double computes in double precision.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef REAL
#define REAL float
#endif

static void fdtd2d(int NX, int NY, int T, REAL ex[NX][NY+1], REAL ey[NX+1][NY],
                   REAL hz[NX][NY], REAL fict[T+1])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int j = 0; j < NY; j++)
      ey[0][j] = fict[t];
    for (int i = 1; i < NX; i++)
      for (int j = 0; j < NY; j++)
        ey[i][j] = ey[i][j] - 0.5f * (hz[i][j] - hz[i-1][j]);
    for (int i = 0; i < NX; i++)
      for (int j = 1; j < NY; j++)
        ex[i][j] = ex[i][j] - 0.5f * (hz[i][j] - hz[i][j-1]);
    for (int i = 0; i < NX; i++)
      for (int j = 0; j < NY; j++)
        hz[i][j] = hz[i][j] - 0.7f * (ex[i][j+1] - ex[i][j]
                                      + ey[i+1][j] - ey[i][j]);
  }
#pragma endscop
}

int main(int argc, char **argv)
{
  int N = argc > 1 ? atoi(argv[1]) : 1024;
  int T = argc > 2 ? atoi(argv[2]) : 20;
  size_t ex = (size_t)N * (N + 1), ey = (size_t)(N + 1) * N, hz = (size_t)N * N;
  size_t n = ex + ey + hz + T + 1;
  REAL *A = (REAL *)malloc(sizeof(REAL) * n);
  unsigned state = 1;
  REAL sum = 0;

  for (size_t i = 0; i < n; i++) {
    state = state * 1664525u + 1013904223u;
    A[i] = ((state >> 8) | 1) / (REAL)16777216.0;
  }
  fdtd2d(N, N, T, (REAL (*)[N+1])A, (REAL (*)[N])(A + ex), (REAL (*)[N])(A + ex + ey), A + ex + ey + hz);
  for (size_t i = 0; i < n; i++)
    sum += A[i];
  printf("%.6e\n", (double)sum / n);
  free(A);
  return 0;
}
