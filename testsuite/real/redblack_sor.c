/* Red-black SOR for the Poisson equation on the unit square,
   with a residual check every CHECK sweeps.  */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK 10

typedef double real;

static real **
alloc_grid (int n)
{
  real **g = malloc ((n + 2) * sizeof (real *));
  int i;

  if (!g)
    abort ();
  g[0] = calloc ((size_t) (n + 2) * (n + 2), sizeof (real));
  if (!g[0])
    abort ();
  for (i = 1; i < n + 2; i++)
    g[i] = g[0] + i * (n + 2);
  return g;
}

static void
free_grid (real **g)
{
  free (g[0]);
  free (g);
}

/* One half sweep; colour is 0 or 1.  */
static void
half_sweep (real **u, real **f, int n, real h2, real omega, int colour)
{
  int i, j;

  for (i = 1; i <= n; i++)
    for (j = 1 + (i + colour) % 2; j <= n; j += 2)
      u[i][j] += omega * 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1]
                                 + u[i][j + 1] - h2 * f[i][j] - 4.0 * u[i][j]);
}

static real
residual (real **u, real **f, int n, real h2)
{
  real sum = 0;
  int i, j;

  for (i = 1; i <= n; i++)
    for (j = 1; j <= n; j++)
      {
        real r = (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]
                  - 4.0 * u[i][j]) / h2 - f[i][j];
        sum += r * r;
      }
  return sqrt (sum / ((real) n * n));
}

int
main (int argc, char **argv)
{
  int n = argc > 1 ? atoi (argv[1]) : 40;
  int max_sweeps = argc > 2 ? atoi (argv[2]) : 60;
  real tol = 1e-6, h = 1.0 / (n + 1), omega, res;
  real **u = alloc_grid (n), **f = alloc_grid (n);
  int i, j, sweep;

  omega = 2.0 / (1.0 + sin (3.14159265358979 * h));
  for (i = 1; i <= n; i++)
    for (j = 1; j <= n; j++)
      f[i][j] = (i == n / 2 && j == n / 3) ? -1.0 / (h * h) : 0.0;

  res = residual (u, f, n, h * h);
  printf ("sweep %4d residual %.10e\n", 0, res);
  for (sweep = 1; sweep <= max_sweeps; sweep++)
    {
      half_sweep (u, f, n, h * h, omega, 0);
      half_sweep (u, f, n, h * h, omega, 1);
      if (sweep % CHECK == 0)
        {
          res = residual (u, f, n, h * h);
          printf ("sweep %4d residual %.10e\n", sweep, res);
          if (res < tol)
            break;
        }
    }
  printf ("u(1/2, 1/2) = %.15f\n", u[n / 2][n / 2]);
  free_grid (u);
  free_grid (f);
  return 0;
}
