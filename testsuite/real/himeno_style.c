/* Pressure Poisson kernel with coefficient arrays, static arrays, and a residual GOSA. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MIMAX 18
#define MJMAX 18
#define MKMAX 34

static float p[MIMAX][MJMAX][MKMAX];
static float a[4][MIMAX][MJMAX][MKMAX], b[3][MIMAX][MJMAX][MKMAX], c[3][MIMAX][MJMAX][MKMAX];
static float bnd[MIMAX][MJMAX][MKMAX];
static float wrk1[MIMAX][MJMAX][MKMAX], wrk2[MIMAX][MJMAX][MKMAX];

static int imax, jmax, kmax;
static float omega;

void initmt();
float jacobi(int nn);

int main(int argc, char *argv[])
{
  int nn = argc > 1 ? atoi(argv[1]) : 8;
  float gosa;
  clock_t start;

  imax = MIMAX - 1;
  jmax = MJMAX - 1;
  kmax = MKMAX - 1;
  omega = 0.8;

  initmt();
  printf("mimax = %d mjmax = %d mkmax = %d\n", MIMAX, MJMAX, MKMAX);
  printf("imax = %d jmax = %d kmax = %d\n", imax, jmax, kmax);

  start = clock();
  gosa = jacobi(nn);
  fprintf(stderr, "cpu : %f sec.\n", (double)(clock() - start) / CLOCKS_PER_SEC);

  printf("Loop executed for %d times\n", nn);
  printf("Gosa : %.9e\n", gosa);
  printf("p : %.9e\n", p[imax / 2][jmax / 2][kmax / 2]);
  return 0;
}

void initmt()
{
  int i, j, k;

  for (i = 0; i < MIMAX; i++)
    for (j = 0; j < MJMAX; j++)
      for (k = 0; k < MKMAX; k++) {
        a[0][i][j][k] = a[1][i][j][k] = a[2][i][j][k] = 0.0;
        a[3][i][j][k] = 0.0;
        b[0][i][j][k] = b[1][i][j][k] = b[2][i][j][k] = 0.0;
        c[0][i][j][k] = c[1][i][j][k] = c[2][i][j][k] = 0.0;
        p[i][j][k] = 0.0;
        wrk1[i][j][k] = 0.0;
        bnd[i][j][k] = 0.0;
      }
  for (i = 0; i < imax; i++)
    for (j = 0; j < jmax; j++)
      for (k = 0; k < kmax; k++) {
        a[0][i][j][k] = a[1][i][j][k] = a[2][i][j][k] = 1.0;
        a[3][i][j][k] = 1.0 / 6.0;
        c[0][i][j][k] = c[1][i][j][k] = c[2][i][j][k] = 1.0;
        p[i][j][k] = (float)(i * i) / (float)((imax - 1) * (imax - 1));
        bnd[i][j][k] = 1.0;
      }
}

float jacobi(int nn)
{
  int i, j, k, n;
  float gosa = 0.0, s0, ss;

  for (n = 0; n < nn; ++n) {
    gosa = 0.0;

    for (i = 1; i < imax - 1; i++)
      for (j = 1; j < jmax - 1; j++)
        for (k = 1; k < kmax - 1; k++) {
          s0 = a[0][i][j][k] * p[i+1][j][k]
             + a[1][i][j][k] * p[i][j+1][k]
             + a[2][i][j][k] * p[i][j][k+1]
             + b[0][i][j][k] * (p[i+1][j+1][k] - p[i+1][j-1][k] - p[i-1][j+1][k] + p[i-1][j-1][k])
             + b[1][i][j][k] * (p[i][j+1][k+1] - p[i][j-1][k+1] - p[i][j+1][k-1] + p[i][j-1][k-1])
             + b[2][i][j][k] * (p[i+1][j][k+1] - p[i-1][j][k+1] - p[i+1][j][k-1] + p[i-1][j][k-1])
             + c[0][i][j][k] * p[i-1][j][k]
             + c[1][i][j][k] * p[i][j-1][k]
             + c[2][i][j][k] * p[i][j][k-1]
             + wrk1[i][j][k];

          ss = (s0 * a[3][i][j][k] - p[i][j][k]) * bnd[i][j][k];
          gosa = gosa + ss * ss;
          wrk2[i][j][k] = p[i][j][k] + omega * ss;
        }

    for (i = 1; i < imax - 1; ++i)
      for (j = 1; j < jmax - 1; ++j)
        for (k = 1; k < kmax - 1; ++k)
          p[i][j][k] = wrk2[i][j][k];
  }
  return gosa;
}
