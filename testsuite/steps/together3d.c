/* together3d: Five unknowns in each cell, in a new array, in place, and some of them; structs of three doubles in a row.
 * hexcc-test: args=N,M,K,T run=1,1,1,1;3,2,2,2;4,3,33,2;5,6,31,3;3,4,70,2 warns=HX0203
 */
#include <stdio.h>
#include <stdlib.h>

struct spring {
  double at, speed, force;
};

static void together3d(int N, int M, int K, int T, double u[N][M][K][5], double v[N][M][K][5], float q[N][M][K][6],
                       int L, struct spring s[L])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    /* Two arrays at once, all of both. */
    for (int i = 0; i < N - 1; i++)
      for (int j = 1; j < M; j++)
        for (int k = 1; k < K - 1; k++) {
          double sum = u[i][j][k][0] + u[i+1][j][k][1] + u[i][j-1][k][2];
          v[i][j][k][3] = 0.25 * (u[i][j][k+1][3] - u[i][j][k-1][3]) + sum;
          v[i][j][k][0] = 0.5 * u[i][j][k][0] + 0.125 * sum;
          v[i][j][k][1] = 0.5 * u[i+1][j][k][1] - 0.125 * sum;
          v[i][j][k][2] = 0.5 * u[i][j-1][k][2];
          v[i][j][k][4] = u[i][j][k][4] * 0.75;
          q[i][j][k][0] = (float)sum;
          q[i][j][k][1] = (float)(u[i][j][k][3] - sum);
          q[i][j][k][2] = 0.5f * q[i][j][k][3];
          q[i][j][k][5] = 1.0f;
          q[i][j][k][4] = q[i][j][k][5] * 0.5f;
          q[i][j][k][3] = (float)u[i][j][k][4];
        }
    /* In place: what it reads comes first. */
    for (int i = 0; i < N; i++)
      for (int j = 0; j < M; j++)
        for (int k = 0; k < K; k++) {
          double a = v[i][j][k][0], b = v[i][j][k][1], c = v[i][j][k][2], d = v[i][j][k][3], e = v[i][j][k][4];
          double mean = (a + b + c + d + e) * 0.2;
          v[i][j][k][0] = a + 0.5 * (mean - a);
          v[i][j][k][1] = b + 0.5 * (mean - b);
          v[i][j][k][2] = c + 0.25 * (mean - c);
          v[i][j][k][3] = d + 0.5 * (mean - d);
          v[i][j][k][4] = e + 0.125 * (mean - e);
        }
    /* In place: the second one reads the first one's result. */
    for (int i = 0; i < N; i++)
      for (int j = 0; j < M; j++)
        for (int k = 0; k < K; k++) {
          u[i][j][k][0] = v[i][j][k][0] + 0.0625 * u[i][j][k][4];
          u[i][j][k][1] = v[i][j][k][1] - u[i][j][k][0];
          u[i][j][k][2] = v[i][j][k][2] + 0.5 * u[i][j][k][1];
          u[i][j][k][3] = v[i][j][k][3] * 0.5;
          u[i][j][k][4] = v[i][j][k][4] * 0.5;
        }
    /* Not all of them. */
    for (int i = 0; i < N; i++)
      for (int j = 0; j < M; j++)
        for (int k = 1; k < K; k++) {
          v[i][j][k][0] = u[i][j][k-1][0];
          v[i][j][k][2] = u[i][j][k-1][2];
          v[i][j][k][3] = u[i][j][k-1][3];
        }
    for (int i = 0; i < L; i++) {
      double at = s[i].at, speed = s[i].speed, force = s[i].force;
      s[i].force = -0.5 * at;
      s[i].speed = speed + 0.125 * force;
      s[i].at = at + 0.125 * speed;
    }
  }
#pragma endscop
}

static unsigned long long hash = 14695981039346656037ull;

static void add(const void *data, size_t size)
{
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ ((const unsigned char *)data)[i]) * 1099511628211ull;
}

int main(int argc, char **argv)
{
  int N = argc > 1 ? atoi(argv[1]) : 40;
  int M = argc > 2 ? atoi(argv[2]) : 50;
  int K = argc > 3 ? atoi(argv[3]) : 60;
  int T = argc > 4 ? atoi(argv[4]) : 10;
  size_t n = (size_t)N * M * K;
  double *u = malloc(5 * n * sizeof *u), *v = malloc(5 * n * sizeof *v);
  float *q = malloc(6 * n * sizeof *q);
  struct spring *s = malloc(n * sizeof *s);
  unsigned state = 1;

  for (size_t i = 0; i < 5 * n; i++) {
    state = state * 1664525u + 1013904223u;
    u[i] = (state >> 8) / 16777216.0;
    v[i] = (state >> 16) / 65536.0;
  }
  for (size_t i = 0; i < 6 * n; i++) {
    state = state * 1664525u + 1013904223u;
    q[i] = (state >> 8) / 16777216.0f;
  }
  for (size_t i = 0; i < n; i++) {
    s[i].at = (double)(i % 7);
    s[i].speed = 0;
    s[i].force = 1;
  }
  together3d(N, M, K, T, (double(*)[M][K][5])u, (double(*)[M][K][5])v, (float(*)[M][K][6])q, (int)n, s);
  add(u, 5 * n * sizeof *u);
  add(v, 5 * n * sizeof *v);
  add(q, 6 * n * sizeof *q);
  add(s, n * sizeof *s);
  printf("%016llx\n", hash);
  free(u);
  free(v);
  free(q);
  free(s);
  return 0;
}
