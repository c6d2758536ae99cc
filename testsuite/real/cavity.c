/* Lid-driven cavity, stream function and vorticity.

   The stream function is found by a fixed number of Jacobi sweeps, then the
   vorticity is advanced.  Functions are defined after main.  */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define N 41

double psi[N][N], psi2[N][N], w[N][N], w2[N][N];

void poisson (int sweeps, double h);
void wall_vorticity (double lid, double h);
void transport (double dt, double nu, double h);

int
main (int argc, char **argv)
{
  int steps = 60;
  double re = 100.0, h = 1.0 / (N - 1), dt, t = 0.0, change;

  if (argc > 1)
    steps = atoi (argv[1]);
  if (argc > 2)
    re = atof (argv[2]);
  dt = 0.2 * h * h * re;
  if (dt > 0.2 * h)
    dt = 0.2 * h;

  for (int n = 0; n < steps; n++)
    {
      poisson (10, h);
      wall_vorticity (1.0, h);
      transport (dt, 1.0 / re, h);
      t += dt;
    }

  change = 0.0;
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++)
      change = fmax (change, fabs (w[i][j] - w2[i][j]));
  printf ("t = %g, last change %.10e\n", t, change);
  printf ("psi at the centre %.12e\n", psi[N / 2][N / 2]);
  for (int j = 0; j < N; j += 8)
    printf ("%3d %.12e\n", j, w[N / 2][j]);
  return 0;
}

void
poisson (int sweeps, double h)
{
  int i, j, s;

  for (s = 0; s < sweeps; s++)
    {
      for (i = 1; i < N - 1; i++)
        for (j = 1; j < N - 1; j++)
          psi2[i][j] = 0.25 * (psi[i + 1][j] + psi[i - 1][j] + psi[i][j + 1]
                               + psi[i][j - 1] + h * h * w[i][j]);
      for (i = 1; i < N - 1; i++)
        for (j = 1; j < N - 1; j++)
          psi[i][j] = psi2[i][j];
    }
}

void
wall_vorticity (double lid, double h)
{
  int k;

  for (k = 1; k < N - 1; k++)
    {
      w[0][k] = -2.0 * psi[1][k] / (h * h);
      w[N - 1][k] = -2.0 * psi[N - 2][k] / (h * h);
      w[k][0] = -2.0 * psi[k][1] / (h * h);
      w[k][N - 1] = -2.0 * psi[k][N - 2] / (h * h) - 2.0 * lid / h;
    }
}

void
transport (double dt, double nu, double h)
{
  int i, j;

  for (i = 1; i < N - 1; i++)
    for (j = 1; j < N - 1; j++)
      w2[i][j] = w[i][j];
  for (i = 1; i < N - 1; i++)
    for (j = 1; j < N - 1; j++)
      {
        double u = (psi[i][j + 1] - psi[i][j - 1]) / (2.0 * h);
        double v = -(psi[i + 1][j] - psi[i - 1][j]) / (2.0 * h);
        double wx, wy, wxx, wyy;

        wx = (i > 1 ? w2[i - 1][j] : w[0][j]);
        wx = ((i < N - 2 ? w2[i + 1][j] : w[N - 1][j]) - wx) / (2.0 * h);
        wy = ((j < N - 2 ? w2[i][j + 1] : w[i][N - 1]) - (j > 1 ? w2[i][j - 1] : w[i][0])) / (2.0 * h);
        wxx = (i > 1 ? w2[i - 1][j] : w[0][j]) - 2.0 * w2[i][j] + (i < N - 2 ? w2[i + 1][j] : w[N - 1][j]);
        wyy = (j > 1 ? w2[i][j - 1] : w[i][0]) - 2.0 * w2[i][j] + (j < N - 2 ? w2[i][j + 1] : w[i][N - 1]);
        w[i][j] = w2[i][j] + dt * (nu * (wxx + wyy) / (h * h) - u * wx - v * wy);
      }
}
