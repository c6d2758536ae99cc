/*  Allen-Cahn equation in 2D with no-flux walls.
    The grid is [NX][NY]; ghost cells mirror the inside.  */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#define NX 66
#define NY 50
#define EPS 0.02
typedef double grid[NX][NY];
grid phi, mu;
double dx, dt;

double f_prime(double p) { return p * p * p - p; }

void mirror(grid g)
{
  for (int i = 0; i < NX; i++) {
    g[i][0] = g[i][1];
    g[i][NY - 1] = g[i][NY - 2];
  }
  for (int j = 0; j < NY; j++) {
    g[0][j] = g[1][j];
    g[NX - 1][j] = g[NX - 2][j];
  }
}

void advance(grid p, grid m)
{
  for (int i = 1; i < NX - 1; i++)
    for (int j = 1; j < NY - 1; j++) {
      double lap = (p[i + 1][j] + p[i - 1][j] + p[i][j + 1] + p[i][j - 1] - 4 * p[i][j]) / (dx * dx);
      m[i][j] = f_prime(p[i][j]) - EPS * EPS * lap;
    }
  for (int i = 1; i < NX - 1; i++)
    for (int j = 1; j < NY - 1; j++)
      p[i][j] -= dt * m[i][j];
}

double energy(grid p)
{
  double e = 0;
  for (int i = 1; i < NX - 1; i++)
    for (int j = 1; j < NY - 1; j++) {
      double gx = (p[i + 1][j] - p[i - 1][j]) / (2 * dx);
      double gy = (p[i][j + 1] - p[i][j - 1]) / (2 * dx);
      double w = p[i][j] * p[i][j] - 1;
      e += 0.5 * EPS * EPS * (gx * gx + gy * gy) + 0.25 * w * w;
    }
  return e * dx * dx;
}

int main(int argc, char **argv)
{
  int steps = argc > 1 ? atoi(argv[1]) : 80;
  dx = 1.0 / (NX - 2);
  dt = 0.1;
  for (int i = 0; i < NX; i++)
    for (int j = 0; j < NY; j++)
      phi[i][j] = 0.1 * ((i * 37 + j * 59 + i * j) % 19 - 9) / 9.0;

  for (int n = 0; n <= steps; n++) {
    mirror(phi);
    if (n % 20 == 0)
      printf("%4d %.12f\n", n, energy(phi));
    advance(phi, mu);
  }
  FILE *out = stdout;
  for (int i = 1; i < NX - 1; i += 8) {
    for (int j = 1; j < NY - 1; j += 8)
      fprintf(out, "%9.6f ", phi[i][j]);
    fprintf(out, "\n");
  }
  return 0;
}
