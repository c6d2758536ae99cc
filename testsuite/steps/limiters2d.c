/* limiters2d: Slope limiters and a flux that return early, with variables behind the first return, and assigned in branches.
 * hexcc-test: args=N,T run=5,2;6,1;20,5;61,12
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double minmod(double a, double b)
{
  if (a * b <= 0)
    return 0;
  double s = a > 0 ? 1 : -1;
  if (s * a < s * b)
    return a;
  return b;
}

static double superbee(double a, double b)
{
  double one, two;

  if (a * b <= 0.0)
    return 0.0;
  one = minmod(2.0 * a, b);
  two = minmod(a, 2.0 * b);
  return fabs(one) > fabs(two) ? one : two;
}

/* Godunov's flux for Burgers' equation. */
static double flux(double left, double right)
{
  if (left > right) {
    double speed = 0.5 * (left + right);
    if (speed > 0)
      return 0.5 * left * left;
    else
      return 0.5 * right * right;
  } else if (left > 0) {
    return 0.5 * left * left;
  }
  double least = right;
  if (right > 0)
    least = 0;
  else {
    double other = right;
    least = other;
  }
  least *= 1;
  return 0.5 * least * least;
}

static float damped(float x, int strength)
{
  float weight = 0.5;
  if (strength == 0)
    return x;
  int divisor = 2;
  if (strength > 2) {
    divisor = strength;
    weight = 0.1;
  }
  return weight * x / divisor;
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 20, steps = argc > 2 ? atoi(argv[2]) : 5;
  double (*u)[n] = calloc(n * n + 1, sizeof(double)), (*f)[n] = calloc(n * n + 1, sizeof(double)), sum = 0;

  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      u[i][j] = sin(0.3 * i + 0.2 * j) + 0.125 * ((i * 7 + j * 3) % 5);
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 2; i++)
      for (int j = 1; j < n - 1; j++) {
        double left = u[i][j] + 0.5 * superbee(u[i][j] - u[i - 1][j], u[i + 1][j] - u[i][j]);
        double right = u[i + 1][j] - 0.5 * minmod(u[i + 1][j] - u[i][j], u[i + 2][j] - u[i + 1][j]);
        f[i][j] = flux(left, right) + damped(u[i][j - 1] - u[i][j + 1], i % 4);
      }
    for (int i = 2; i < n - 2; i++)
      for (int j = 1; j < n - 1; j++)
        u[i][j] -= 0.2 * (f[i][j] - f[i - 1][j]);
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      sum += (i + 1) * u[i][j] - (j + 1) * f[i][j];
  printf("%.17g\n", sum);
  free(u);
  free(f);
  return 0;
}
