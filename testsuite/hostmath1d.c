/* hostmath1d: Functions of <math.h> that the host calls with floats: C computes them in double,
 * and abs() in int, where C++ has functions of its own for each type.
 * hexcc-test: args=N,T run=1,3;3,1;4,2;6,5;9,10;16,7;40,9;129,16 tile=h=1,w=2;h=3,w=4
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define LARGER(a, b) \
  fmax(a, b)

static void hostmath1d(int n, int steps, float A[2][n])
{
#pragma scop
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n - 1; i++)
      A[(t+1)%2][i] = 0.33f * (A[t%2][i-1] + A[t%2][i] + A[t%2][i+1]);
#pragma endscop
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 100;
  int steps = argc > 2 ? atoi(argv[2]) : 10;
  float (*A)[n] = (float (*)[n])malloc(sizeof(float[2][n]));
  unsigned state = 1;

  for (int i = 0; i < n; i++) {
    state = state * 1664525u + 1013904223u;
    A[0][i] = A[1][i] = 3 * (float)(((state >> 8) | 1) / 16777216.0f) - 1;
  }
  hostmath1d(n, steps, A);
  for (int i = 0; i < n; i++) {
    float x = A[0][i], y = A[1][i];
    printf("%.17g %.17g %.17g\n", 0.3f * x + 0.3f * LARGER(x, y), exp(x) + sin(fmin(x, y)), sqrt(fabs(y)) / 3);
    printf("%d %.17g\n", abs((int)(7 * x)), pow(fabs(x), 0.5f) * hypot(x, y));
  }
  free(A);
  return 0;
}
