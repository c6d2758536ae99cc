/* markedtables2d: Tables of rows, one of them of an array of pointers, swapped in a loop that a pragma marks, beside an array in one block.
 * hexcc-test: args=N,T run=1,2;3,0;3,1;3,2;5,3;24,9;61,14
 */
#include <stdio.h>
#include <stdlib.h>

enum { M = 48 };

static unsigned state = 1;

static double next(void)
{
  state = state * 1664525u + 1013904223u;
  return ((state >> 8) | 1) / 16777216.0;
}

static void heat(int N, int T, double *u[], double **v, double (*k)[M])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < M - 1; j++)
        v[i][j] = u[i][j] + k[i][j] * (u[i-1][j] + u[i+1][j] + u[i][j-1] + u[i][j+1] - 4.0 * u[i][j]);
    double **old = u;
    u = v;
    v = old;
  }
#pragma endscop
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      printf("%a %a\n", u[i][j], v[i][j]);
}

int main(int argc, char **argv)
{
  int N = argc > 1 ? atoi(argv[1]) : 32;
  int T = argc > 2 ? atoi(argv[2]) : 5;
  double *u[100], **v = malloc(N * sizeof *v), (*k)[M] = malloc(N * sizeof *k);

  for (int i = 0; i < N; i++) {
    u[i] = malloc(M * sizeof(double));
    v[i] = malloc(M * sizeof(double));
    for (int j = 0; j < M; j++)
      u[i][j] = next(), v[i][j] = next(), k[i][j] = next();
  }
  heat(N, T, u, v, k);
  return 0;
}
