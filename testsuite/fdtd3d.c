/* fdtd3d: electromagnetic waves, six fields of one time buffer on staggered cells.
 * hexcc-test: args=N,T run=1,2;3,5;4,1;7,3;8,0;12,7;16,5;19,6 bench=384,64 tile=h=1,w=1:4:8 stream=steps=1,vector=1,rows=1,warps=5;steps=2,vector=2,rows=2,warps=4
 */
#include <stdio.h>
#include <stdlib.h>

static void fdtd3d(int N, int T, float Ex[N][N][N], float Ey[N][N][N], float Ez[N][N][N],
                   float Hx[N][N][N], float Hy[N][N][N], float Hz[N][N][N])
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
  int N = argc > 1 ? atoi(argv[1]) : 24;
  int T = argc > 2 ? atoi(argv[2]) : 10;
  float (*Ex)[N][N] = (float (*)[N][N])malloc(sizeof(float[N][N][N]));
  float (*Ey)[N][N] = (float (*)[N][N])malloc(sizeof(float[N][N][N]));
  float (*Ez)[N][N] = (float (*)[N][N])malloc(sizeof(float[N][N][N]));
  float (*Hx)[N][N] = (float (*)[N][N])malloc(sizeof(float[N][N][N]));
  float (*Hy)[N][N] = (float (*)[N][N])malloc(sizeof(float[N][N][N]));
  float (*Hz)[N][N] = (float (*)[N][N])malloc(sizeof(float[N][N][N]));

  fill(Ex, sizeof(float[N][N][N]));
  fill(Ey, sizeof(float[N][N][N]));
  fill(Ez, sizeof(float[N][N][N]));
  fill(Hx, sizeof(float[N][N][N]));
  fill(Hy, sizeof(float[N][N][N]));
  fill(Hz, sizeof(float[N][N][N]));
  fdtd3d(N, T, Ex, Ey, Ez, Hx, Hy, Hz);
  add_to_hash(Ex, sizeof(float[N][N][N]));
  add_to_hash(Ey, sizeof(float[N][N][N]));
  add_to_hash(Ez, sizeof(float[N][N][N]));
  add_to_hash(Hx, sizeof(float[N][N][N]));
  add_to_hash(Hy, sizeof(float[N][N][N]));
  add_to_hash(Hz, sizeof(float[N][N][N]));
  printf("%016llx\n", hash);
  free(Ex);
  free(Ey);
  free(Ez);
  free(Hx);
  free(Hy);
  free(Hz);
  return 0;
}
