/* mathcalls1d_double: Calls of the double mathematics library. Prints the values, since exp, pow,
 * sin and cos may differ in the last places.
 * hexcc-test: args=N,T run=1,3;2,5;3,2;5,1;16,7;17,0;40,9;64,8;129,16;300,17 ulps=8 tile=h=0,w=1;h=1,w=2;h=2,w=3;h=3,w=5 stream=steps=4,vector=1
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void mathcalls1d_double(int N, int T, double A[2][N])
{
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[(t+1)%2][i] = 0.2 * exp(-fabs(A[t%2][i-1] - A[t%2][i+1]))
                    + 0.1 * pow(A[t%2][i], 1.5)
                    + 0.1 * sin(A[t%2][i-1]) + 0.1 * cos(A[t%2][i+1])
                    + 0.1 * fmin(A[t%2][i-1], A[t%2][i+1])
                    + 0.1 * sqrt(fmax(A[t%2][i-1], A[t%2][i]));
#pragma endscop
}

static void fill(void *data, size_t size)
{
  static unsigned state = 1;
  double *x = (double *)data;

  for (size_t i = 0; i < size / sizeof *x; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = ((state >> 8) | 1) / 16777216.0;
  }
}

static void print(const void *data, size_t size)
{
  const double *x = (const double *)data;

  for (size_t i = 0; i < size / sizeof *x; i++)
    printf("%.17g\n", x[i]);
}

int main(int argc, char **argv)
{
  int N = argc > 1 ? atoi(argv[1]) : 256;
  int T = argc > 2 ? atoi(argv[2]) : 20;
  size_t size = sizeof(double[2][N]);
  double (*A)[N] = (double (*)[N])malloc(size);

  fill(A, size);
  mathcalls1d_double(N, T, A);
  print(A, size);
  free(A);
  return 0;
}
