/* fdtd3d: electromagnetic waves in 3D, six fields on staggered cells.
 * -DREAL=double computes in double precision.
 */
#include <stdio.h>
#include <stdlib.h>

#ifndef REAL
#define REAL float
#endif

static void fdtd3d(int N, int T, REAL Ex[N][N][N], REAL Ey[N][N][N], REAL Ez[N][N][N],
                   REAL Hx[N][N][N], REAL Hy[N][N][N], REAL Hz[N][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 0; i < N; i++)
      for (int j = 1; j < N; j++)
        for (int k = 1; k < N; k++)
          Ex[i][j][k] += 0.4f * ((Hz[i][j][k] - Hz[i][j-1][k]) - (Hy[i][j][k] - Hy[i][j][k-1]));
    for (int i = 1; i < N; i++)
      for (int j = 0; j < N; j++)
        for (int k = 1; k < N; k++)
          Ey[i][j][k] += 0.4f * ((Hx[i][j][k] - Hx[i][j][k-1]) - (Hz[i][j][k] - Hz[i-1][j][k]));
    for (int i = 1; i < N; i++)
      for (int j = 1; j < N; j++)
        for (int k = 0; k < N; k++)
          Ez[i][j][k] += 0.4f * ((Hy[i][j][k] - Hy[i-1][j][k]) - (Hx[i][j][k] - Hx[i][j-1][k]));
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N - 1; j++)
        for (int k = 0; k < N - 1; k++)
          Hx[i][j][k] -= 0.5f * ((Ez[i][j+1][k] - Ez[i][j][k]) - (Ey[i][j][k+1] - Ey[i][j][k]));
    for (int i = 0; i < N - 1; i++)
      for (int j = 0; j < N; j++)
        for (int k = 0; k < N - 1; k++)
          Hy[i][j][k] -= 0.5f * ((Ex[i][j][k+1] - Ex[i][j][k]) - (Ez[i+1][j][k] - Ez[i][j][k]));
    for (int i = 0; i < N - 1; i++)
      for (int j = 0; j < N - 1; j++)
        for (int k = 0; k < N; k++)
          Hz[i][j][k] -= 0.5f * ((Ey[i+1][j][k] - Ey[i][j][k]) - (Ex[i][j+1][k] - Ex[i][j][k]));
  }
#pragma endscop
}

static void fill(REAL *x, size_t n)
{
  static unsigned state = 1;

  for (size_t i = 0; i < n; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = ((state >> 8) | 1) / (REAL)16777216.0;
  }
}

int main(int argc, char **argv)
{
  int N = argc > 1 ? atoi(argv[1]) : 128;
  int T = argc > 2 ? atoi(argv[2]) : 20;
  size_t n_Ex = 1 * (size_t)N * N * N;
  REAL *Ex = (REAL *)malloc(sizeof(REAL) * n_Ex);
  size_t n_Ey = 1 * (size_t)N * N * N;
  REAL *Ey = (REAL *)malloc(sizeof(REAL) * n_Ey);
  size_t n_Ez = 1 * (size_t)N * N * N;
  REAL *Ez = (REAL *)malloc(sizeof(REAL) * n_Ez);
  size_t n_Hx = 1 * (size_t)N * N * N;
  REAL *Hx = (REAL *)malloc(sizeof(REAL) * n_Hx);
  size_t n_Hy = 1 * (size_t)N * N * N;
  REAL *Hy = (REAL *)malloc(sizeof(REAL) * n_Hy);
  size_t n_Hz = 1 * (size_t)N * N * N;
  REAL *Hz = (REAL *)malloc(sizeof(REAL) * n_Hz);
  REAL sum = 0;

  fill(Ex, n_Ex);
  fill(Ey, n_Ey);
  fill(Ez, n_Ez);
  fill(Hx, n_Hx);
  fill(Hy, n_Hy);
  fill(Hz, n_Hz);
  fdtd3d(N, T, (REAL (*)[N][N])Ex, (REAL (*)[N][N])Ey, (REAL (*)[N][N])Ez, (REAL (*)[N][N])Hx, (REAL (*)[N][N])Hy, (REAL (*)[N][N])Hz);
  for (size_t i = 0; i < n_Ex; i++)
    sum += Ex[i];
  printf("%.6e\n", (double)sum / n_Ex);
  free(Ex);
  free(Ey);
  free(Ez);
  free(Hx);
  free(Hy);
  free(Hz);
  return 0;
}
