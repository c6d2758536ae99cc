/* acoustic3d: sound in 3D, pressure and velocities of one time buffer on staggered cells.
 * hexcc-test: args=N,T run=1,2;3,5;4,1;7,3;8,0;12,7;16,5;19,6 bench=384,64 tile=h=1,w=1:4:8 stream=steps=1,vector=1,rows=1,warps=5;steps=2,vector=2,rows=2,warps=4
 */
#include <stdio.h>
#include <stdlib.h>

static void acoustic3d(int N, int T, float P[N][N][N], float U[N][N][N], float V[N][N][N],
                       float W[N][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N; i++)
      for (int j = 0; j < N; j++)
        for (int k = 0; k < N; k++)
          U[i][j][k] -= 0.4f * (P[i][j][k] - P[i-1][j][k]);
    for (int i = 0; i < N; i++)
      for (int j = 1; j < N; j++)
        for (int k = 0; k < N; k++)
          V[i][j][k] -= 0.4f * (P[i][j][k] - P[i][j-1][k]);
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        for (int k = 1; k < N; k++)
          W[i][j][k] -= 0.4f * (P[i][j][k] - P[i][j][k-1]);
    for (int i = 0; i < N - 1; i++)
      for (int j = 0; j < N - 1; j++)
        for (int k = 0; k < N - 1; k++)
          P[i][j][k] -= 0.5f * (U[i+1][j][k] - U[i][j][k] + V[i][j+1][k] - V[i][j][k]
                                + W[i][j][k+1] - W[i][j][k]);
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
  float (*P)[N][N] = (float (*)[N][N])malloc(sizeof(float[N][N][N]));
  float (*U)[N][N] = (float (*)[N][N])malloc(sizeof(float[N][N][N]));
  float (*V)[N][N] = (float (*)[N][N])malloc(sizeof(float[N][N][N]));
  float (*W)[N][N] = (float (*)[N][N])malloc(sizeof(float[N][N][N]));

  fill(P, sizeof(float[N][N][N]));
  fill(U, sizeof(float[N][N][N]));
  fill(V, sizeof(float[N][N][N]));
  fill(W, sizeof(float[N][N][N]));
  acoustic3d(N, T, P, U, V, W);
  add_to_hash(P, sizeof(float[N][N][N]));
  add_to_hash(U, sizeof(float[N][N][N]));
  add_to_hash(V, sizeof(float[N][N][N]));
  add_to_hash(W, sizeof(float[N][N][N]));
  printf("%016llx\n", hash);
  free(P);
  free(U);
  free(V);
  free(W);
  return 0;
}
