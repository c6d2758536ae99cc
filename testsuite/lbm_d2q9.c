/* lbm_d2q9: Lattice Boltzmann with 9 directions, the density, the velocity and the equilibria in local variables.
 * hexcc-test: args=N,T run=3,2;4,1;9,0;12,5;17,4 tile=h=0,w=2:8
 */
#include <stdio.h>
#include <stdlib.h>

static void lbm_d2q9(int N, int T, float omega, float f[2][9][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++) {
        float p0 = f[t % 2][0][i][j];
        float p1 = f[t % 2][1][i-1][j];
        float p2 = f[t % 2][2][i][j-1];
        float p3 = f[t % 2][3][i+1][j];
        float p4 = f[t % 2][4][i][j+1];
        float p5 = f[t % 2][5][i-1][j-1];
        float p6 = f[t % 2][6][i+1][j-1];
        float p7 = f[t % 2][7][i+1][j+1];
        float p8 = f[t % 2][8][i-1][j+1];
        float rho = p0 + p1 + p2 + p3 + p4 + p5 + p6 + p7 + p8;
        float ux = (p1 + p5 + p8 - p3 - p6 - p7) / rho;
        float uy = (p2 + p5 + p6 - p4 - p7 - p8) / rho;
        float usq = 1.5f * (ux * ux + uy * uy);
        float e0 = 3.0f * (0.0f);
        float q0 = 4.0f/9.0f * rho * (1.0f + e0 + 0.5f * e0 * e0 - usq);
        float e1 = 3.0f * (ux);
        float q1 = 1.0f/9.0f * rho * (1.0f + e1 + 0.5f * e1 * e1 - usq);
        float e2 = 3.0f * (uy);
        float q2 = 1.0f/9.0f * rho * (1.0f + e2 + 0.5f * e2 * e2 - usq);
        float e3 = 3.0f * (-ux);
        float q3 = 1.0f/9.0f * rho * (1.0f + e3 + 0.5f * e3 * e3 - usq);
        float e4 = 3.0f * (-uy);
        float q4 = 1.0f/9.0f * rho * (1.0f + e4 + 0.5f * e4 * e4 - usq);
        float e5 = 3.0f * (ux + uy);
        float q5 = 1.0f/36.0f * rho * (1.0f + e5 + 0.5f * e5 * e5 - usq);
        float e6 = 3.0f * (-ux + uy);
        float q6 = 1.0f/36.0f * rho * (1.0f + e6 + 0.5f * e6 * e6 - usq);
        float e7 = 3.0f * (-ux + -uy);
        float q7 = 1.0f/36.0f * rho * (1.0f + e7 + 0.5f * e7 * e7 - usq);
        float e8 = 3.0f * (ux + -uy);
        float q8 = 1.0f/36.0f * rho * (1.0f + e8 + 0.5f * e8 * e8 - usq);
        f[(t + 1) % 2][0][i][j] = p0 + omega * (q0 - p0);
        f[(t + 1) % 2][1][i][j] = p1 + omega * (q1 - p1);
        f[(t + 1) % 2][2][i][j] = p2 + omega * (q2 - p2);
        f[(t + 1) % 2][3][i][j] = p3 + omega * (q3 - p3);
        f[(t + 1) % 2][4][i][j] = p4 + omega * (q4 - p4);
        f[(t + 1) % 2][5][i][j] = p5 + omega * (q5 - p5);
        f[(t + 1) % 2][6][i][j] = p6 + omega * (q6 - p6);
        f[(t + 1) % 2][7][i][j] = p7 + omega * (q7 - p7);
        f[(t + 1) % 2][8][i][j] = p8 + omega * (q8 - p8);
      }
#pragma endscop
}

static void fill(void *data, size_t size)
{
  static unsigned state = 1;
  float *x = (float *)data;

  for (size_t i = 0; i < size / sizeof *x; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = 0.05f + ((state >> 8) | 1) / 167772160.0f;
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
  int N = argc > 1 ? atoi(argv[1]) : 20;
  int T = argc > 2 ? atoi(argv[2]) : 4;
  float (*f)[9][N][N] = malloc(sizeof(float) * 9 * 2 * N * N);

  if (!f)
    return 1;
  fill(f, sizeof(float) * 9 * 2 * N * N);
  lbm_d2q9(N, T, 1.2f, f);
  add_to_hash(f, sizeof(float) * 9 * 2 * N * N);
  printf("lbm_d2q9 %d %d %016llx\n", N, T, hash);
  free(f);
  return 0;
}
