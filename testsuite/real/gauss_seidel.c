/* Lexicographic Gauss-Seidel, in place, with a convergence test. */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define SIZE 40

double u[SIZE + 2][SIZE + 2], f[SIZE + 2][SIZE + 2];

double source(double x, double y)
{
  return -2.0 * (x * (1.0 - x) + y * (1.0 - y));
}

int main(int argc, char **argv)
{
  double h = 1.0 / (SIZE + 1);
  double tolerance = 1e-6;
  double delta;
  int i, j;
  int iteration = 0;
  int limit = 300;

  if (argc > 1) tolerance = atof(argv[1]);
  if (argc > 2) limit = atoi(argv[2]);

  for (i = 0; i < SIZE + 2; i++) {
    for (j = 0; j < SIZE + 2; j++) {
      u[i][j] = 0.0;
      f[i][j] = source(i * h, j * h);
    }
  }

  do {
    delta = 0.0;
    for (i = 1; i <= SIZE; i++) {
      for (j = 1; j <= SIZE; j++) {
        double old = u[i][j];
        u[i][j] = 0.25 * (u[i-1][j] + u[i+1][j] + u[i][j-1] + u[i][j+1] - h * h * f[i][j]);
        if (fabs(u[i][j] - old) > delta)
          delta = fabs(u[i][j] - old);
      }
    }
    iteration++;
  } while (delta > tolerance && iteration < limit);

  printf("%d iterations, delta = %.12e\n", iteration, delta);

  double worst = 0.0;
  for (i = 1; i <= SIZE; i++) {
    for (j = 1; j <= SIZE; j++) {
      double x = i * h, y = j * h;
      double e = fabs(u[i][j] - x * (1.0 - x) * y * (1.0 - y));
      if (e > worst)
        worst = e;
    }
  }
  printf("largest error %.12e\n", worst);
  printf("u(1/2,1/2) = %.12f\n", u[SIZE / 2][SIZE / 2]);
  return 0;
}
