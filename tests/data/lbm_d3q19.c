/* lbm_d3q19: Lattice Boltzmann with 19 directions, the density, the velocity and the equilibria in local variables.
 * hexcc-test: args=N,T run=3,2;4,1;6,0;9,3 tile=h=0,w=1:2:4
 */
#include <stdio.h>
#include <stdlib.h>

static void lbm_d3q19(int N, int T, float omega, float f0[2][N][N][N], float f1[2][N][N][N],
  float f2[2][N][N][N], float f3[2][N][N][N], float f4[2][N][N][N], float f5[2][N][N][N],
  float f6[2][N][N][N], float f7[2][N][N][N], float f8[2][N][N][N], float f9[2][N][N][N],
  float f10[2][N][N][N], float f11[2][N][N][N], float f12[2][N][N][N], float f13[2][N][N][N],
  float f14[2][N][N][N], float f15[2][N][N][N], float f16[2][N][N][N], float f17[2][N][N][N],
  float f18[2][N][N][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++) {
        float p0 = f0[t % 2][i][j][k];
        float p1 = f1[t % 2][i+1][j+1][k];
        float p2 = f2[t % 2][i+1][j][k+1];
        float p3 = f3[t % 2][i+1][j][k];
        float p4 = f4[t % 2][i+1][j][k-1];
        float p5 = f5[t % 2][i+1][j-1][k];
        float p6 = f6[t % 2][i][j+1][k+1];
        float p7 = f7[t % 2][i][j+1][k];
        float p8 = f8[t % 2][i][j+1][k-1];
        float p9 = f9[t % 2][i][j][k+1];
        float p10 = f10[t % 2][i][j][k-1];
        float p11 = f11[t % 2][i][j-1][k+1];
        float p12 = f12[t % 2][i][j-1][k];
        float p13 = f13[t % 2][i][j-1][k-1];
        float p14 = f14[t % 2][i-1][j+1][k];
        float p15 = f15[t % 2][i-1][j][k+1];
        float p16 = f16[t % 2][i-1][j][k];
        float p17 = f17[t % 2][i-1][j][k-1];
        float p18 = f18[t % 2][i-1][j-1][k];
        float rho = p0 + p1 + p2 + p3 + p4 + p5 + p6 + p7 + p8 + p9 + p10 + p11 + p12 + p13 + p14
          + p15 + p16 + p17 + p18;
        float ux = (p14 + p15 + p16 + p17 + p18 - p1 - p2 - p3 - p4 - p5) / rho;
        float uy = (p5 + p11 + p12 + p13 + p18 - p1 - p6 - p7 - p8 - p14) / rho;
        float uz = (p4 + p8 + p10 + p13 + p17 - p2 - p6 - p9 - p11 - p15) / rho;
        float usq = 1.5f * (ux * ux + uy * uy + uz * uz);
        float e0 = 3.0f * (0.0f);
        float q0 = 1.0f/3.0f * rho * (1.0f + e0 + 0.5f * e0 * e0 - usq);
        float e1 = 3.0f * (-ux + -uy);
        float q1 = 1.0f/36.0f * rho * (1.0f + e1 + 0.5f * e1 * e1 - usq);
        float e2 = 3.0f * (-ux + -uz);
        float q2 = 1.0f/36.0f * rho * (1.0f + e2 + 0.5f * e2 * e2 - usq);
        float e3 = 3.0f * (-ux);
        float q3 = 1.0f/18.0f * rho * (1.0f + e3 + 0.5f * e3 * e3 - usq);
        float e4 = 3.0f * (-ux + uz);
        float q4 = 1.0f/36.0f * rho * (1.0f + e4 + 0.5f * e4 * e4 - usq);
        float e5 = 3.0f * (-ux + uy);
        float q5 = 1.0f/36.0f * rho * (1.0f + e5 + 0.5f * e5 * e5 - usq);
        float e6 = 3.0f * (-uy + -uz);
        float q6 = 1.0f/36.0f * rho * (1.0f + e6 + 0.5f * e6 * e6 - usq);
        float e7 = 3.0f * (-uy);
        float q7 = 1.0f/18.0f * rho * (1.0f + e7 + 0.5f * e7 * e7 - usq);
        float e8 = 3.0f * (-uy + uz);
        float q8 = 1.0f/36.0f * rho * (1.0f + e8 + 0.5f * e8 * e8 - usq);
        float e9 = 3.0f * (-uz);
        float q9 = 1.0f/18.0f * rho * (1.0f + e9 + 0.5f * e9 * e9 - usq);
        float e10 = 3.0f * (uz);
        float q10 = 1.0f/18.0f * rho * (1.0f + e10 + 0.5f * e10 * e10 - usq);
        float e11 = 3.0f * (uy + -uz);
        float q11 = 1.0f/36.0f * rho * (1.0f + e11 + 0.5f * e11 * e11 - usq);
        float e12 = 3.0f * (uy);
        float q12 = 1.0f/18.0f * rho * (1.0f + e12 + 0.5f * e12 * e12 - usq);
        float e13 = 3.0f * (uy + uz);
        float q13 = 1.0f/36.0f * rho * (1.0f + e13 + 0.5f * e13 * e13 - usq);
        float e14 = 3.0f * (ux + -uy);
        float q14 = 1.0f/36.0f * rho * (1.0f + e14 + 0.5f * e14 * e14 - usq);
        float e15 = 3.0f * (ux + -uz);
        float q15 = 1.0f/36.0f * rho * (1.0f + e15 + 0.5f * e15 * e15 - usq);
        float e16 = 3.0f * (ux);
        float q16 = 1.0f/18.0f * rho * (1.0f + e16 + 0.5f * e16 * e16 - usq);
        float e17 = 3.0f * (ux + uz);
        float q17 = 1.0f/36.0f * rho * (1.0f + e17 + 0.5f * e17 * e17 - usq);
        float e18 = 3.0f * (ux + uy);
        float q18 = 1.0f/36.0f * rho * (1.0f + e18 + 0.5f * e18 * e18 - usq);
        f0[(t + 1) % 2][i][j][k] = p0 + omega * (q0 - p0);
        f1[(t + 1) % 2][i][j][k] = p1 + omega * (q1 - p1);
        f2[(t + 1) % 2][i][j][k] = p2 + omega * (q2 - p2);
        f3[(t + 1) % 2][i][j][k] = p3 + omega * (q3 - p3);
        f4[(t + 1) % 2][i][j][k] = p4 + omega * (q4 - p4);
        f5[(t + 1) % 2][i][j][k] = p5 + omega * (q5 - p5);
        f6[(t + 1) % 2][i][j][k] = p6 + omega * (q6 - p6);
        f7[(t + 1) % 2][i][j][k] = p7 + omega * (q7 - p7);
        f8[(t + 1) % 2][i][j][k] = p8 + omega * (q8 - p8);
        f9[(t + 1) % 2][i][j][k] = p9 + omega * (q9 - p9);
        f10[(t + 1) % 2][i][j][k] = p10 + omega * (q10 - p10);
        f11[(t + 1) % 2][i][j][k] = p11 + omega * (q11 - p11);
        f12[(t + 1) % 2][i][j][k] = p12 + omega * (q12 - p12);
        f13[(t + 1) % 2][i][j][k] = p13 + omega * (q13 - p13);
        f14[(t + 1) % 2][i][j][k] = p14 + omega * (q14 - p14);
        f15[(t + 1) % 2][i][j][k] = p15 + omega * (q15 - p15);
        f16[(t + 1) % 2][i][j][k] = p16 + omega * (q16 - p16);
        f17[(t + 1) % 2][i][j][k] = p17 + omega * (q17 - p17);
        f18[(t + 1) % 2][i][j][k] = p18 + omega * (q18 - p18);
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
  float (*f0)[N][N][N] = malloc(sizeof(float) * 2 * N * N * N);
  float (*f1)[N][N][N] = malloc(sizeof(float) * 2 * N * N * N);
  float (*f2)[N][N][N] = malloc(sizeof(float) * 2 * N * N * N);
  float (*f3)[N][N][N] = malloc(sizeof(float) * 2 * N * N * N);
  float (*f4)[N][N][N] = malloc(sizeof(float) * 2 * N * N * N);
  float (*f5)[N][N][N] = malloc(sizeof(float) * 2 * N * N * N);
  float (*f6)[N][N][N] = malloc(sizeof(float) * 2 * N * N * N);
  float (*f7)[N][N][N] = malloc(sizeof(float) * 2 * N * N * N);
  float (*f8)[N][N][N] = malloc(sizeof(float) * 2 * N * N * N);
  float (*f9)[N][N][N] = malloc(sizeof(float) * 2 * N * N * N);
  float (*f10)[N][N][N] = malloc(sizeof(float) * 2 * N * N * N);
  float (*f11)[N][N][N] = malloc(sizeof(float) * 2 * N * N * N);
  float (*f12)[N][N][N] = malloc(sizeof(float) * 2 * N * N * N);
  float (*f13)[N][N][N] = malloc(sizeof(float) * 2 * N * N * N);
  float (*f14)[N][N][N] = malloc(sizeof(float) * 2 * N * N * N);
  float (*f15)[N][N][N] = malloc(sizeof(float) * 2 * N * N * N);
  float (*f16)[N][N][N] = malloc(sizeof(float) * 2 * N * N * N);
  float (*f17)[N][N][N] = malloc(sizeof(float) * 2 * N * N * N);
  float (*f18)[N][N][N] = malloc(sizeof(float) * 2 * N * N * N);

  if (!f0)
    return 1;
  if (!f1)
    return 1;
  if (!f2)
    return 1;
  if (!f3)
    return 1;
  if (!f4)
    return 1;
  if (!f5)
    return 1;
  if (!f6)
    return 1;
  if (!f7)
    return 1;
  if (!f8)
    return 1;
  if (!f9)
    return 1;
  if (!f10)
    return 1;
  if (!f11)
    return 1;
  if (!f12)
    return 1;
  if (!f13)
    return 1;
  if (!f14)
    return 1;
  if (!f15)
    return 1;
  if (!f16)
    return 1;
  if (!f17)
    return 1;
  if (!f18)
    return 1;
  fill(f0, sizeof(float) * 2 * N * N * N);
  fill(f1, sizeof(float) * 2 * N * N * N);
  fill(f2, sizeof(float) * 2 * N * N * N);
  fill(f3, sizeof(float) * 2 * N * N * N);
  fill(f4, sizeof(float) * 2 * N * N * N);
  fill(f5, sizeof(float) * 2 * N * N * N);
  fill(f6, sizeof(float) * 2 * N * N * N);
  fill(f7, sizeof(float) * 2 * N * N * N);
  fill(f8, sizeof(float) * 2 * N * N * N);
  fill(f9, sizeof(float) * 2 * N * N * N);
  fill(f10, sizeof(float) * 2 * N * N * N);
  fill(f11, sizeof(float) * 2 * N * N * N);
  fill(f12, sizeof(float) * 2 * N * N * N);
  fill(f13, sizeof(float) * 2 * N * N * N);
  fill(f14, sizeof(float) * 2 * N * N * N);
  fill(f15, sizeof(float) * 2 * N * N * N);
  fill(f16, sizeof(float) * 2 * N * N * N);
  fill(f17, sizeof(float) * 2 * N * N * N);
  fill(f18, sizeof(float) * 2 * N * N * N);
  lbm_d3q19(N, T, 1.2f, f0, f1, f2, f3, f4, f5, f6, f7, f8,
    f9, f10, f11, f12, f13, f14, f15, f16, f17, f18);
  add_to_hash(f0, sizeof(float) * 2 * N * N * N);
  add_to_hash(f1, sizeof(float) * 2 * N * N * N);
  add_to_hash(f2, sizeof(float) * 2 * N * N * N);
  add_to_hash(f3, sizeof(float) * 2 * N * N * N);
  add_to_hash(f4, sizeof(float) * 2 * N * N * N);
  add_to_hash(f5, sizeof(float) * 2 * N * N * N);
  add_to_hash(f6, sizeof(float) * 2 * N * N * N);
  add_to_hash(f7, sizeof(float) * 2 * N * N * N);
  add_to_hash(f8, sizeof(float) * 2 * N * N * N);
  add_to_hash(f9, sizeof(float) * 2 * N * N * N);
  add_to_hash(f10, sizeof(float) * 2 * N * N * N);
  add_to_hash(f11, sizeof(float) * 2 * N * N * N);
  add_to_hash(f12, sizeof(float) * 2 * N * N * N);
  add_to_hash(f13, sizeof(float) * 2 * N * N * N);
  add_to_hash(f14, sizeof(float) * 2 * N * N * N);
  add_to_hash(f15, sizeof(float) * 2 * N * N * N);
  add_to_hash(f16, sizeof(float) * 2 * N * N * N);
  add_to_hash(f17, sizeof(float) * 2 * N * N * N);
  add_to_hash(f18, sizeof(float) * 2 * N * N * N);
  printf("lbm_d3q19 %d %d %016llx\n", N, T, hash);
  free(f0);
  free(f1);
  free(f2);
  free(f3);
  free(f4);
  free(f5);
  free(f6);
  free(f7);
  free(f8);
  free(f9);
  free(f10);
  free(f11);
  free(f12);
  free(f13);
  free(f14);
  free(f15);
  free(f16);
  free(f17);
  free(f18);
  return 0;
}
