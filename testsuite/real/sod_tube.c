/* Sod's shock tube: Euler equations in 1D, Lax-Friedrichs with a local speed; an array of structs of the conserved values. */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define GAMMA 1.4
#define CELLS 300

typedef struct {
  double rho, mom, ene;
} cons;

cons U[CELLS + 2], F[CELLS + 1];

double pressure(cons c)
{
  return (GAMMA - 1.0) * (c.ene - 0.5 * c.mom * c.mom / c.rho);
}

cons flux(cons c)
{
  double p = pressure(c), v = c.mom / c.rho;
  cons f;

  f.rho = c.mom;
  f.mom = c.mom * v + p;
  f.ene = (c.ene + p) * v;
  return f;
}

double speed(cons c)
{
  return fabs(c.mom / c.rho) + sqrt(GAMMA * pressure(c) / c.rho);
}

int main(int argc, char **argv)
{
  double t = 0.0, t_end = 0.1, dx = 1.0 / CELLS;
  int i, steps = 0;

  if (argc > 1)
    t_end = atof(argv[1]);
  for (i = 0; i < CELLS + 2; i++) {
    U[i].rho = i <= CELLS / 2 ? 1.0 : 0.125;
    U[i].mom = 0.0;
    U[i].ene = (i <= CELLS / 2 ? 1.0 : 0.1) / (GAMMA - 1.0);
  }
  while (t < t_end) {
    double a = 0.0, dt;

    for (i = 1; i <= CELLS; i++)
      if (speed(U[i]) > a)
        a = speed(U[i]);
    dt = 0.8 * dx / a;
    if (t + dt > t_end)
      dt = t_end - t;
    for (i = 0; i <= CELLS; i++) {
      cons l = U[i], r = U[i + 1], fl = flux(l), fr = flux(r);

      F[i].rho = 0.5 * (fl.rho + fr.rho) - 0.5 * a * (r.rho - l.rho);
      F[i].mom = 0.5 * (fl.mom + fr.mom) - 0.5 * a * (r.mom - l.mom);
      F[i].ene = 0.5 * (fl.ene + fr.ene) - 0.5 * a * (r.ene - l.ene);
    }
    for (i = 1; i <= CELLS; i++) {
      U[i].rho -= dt / dx * (F[i].rho - F[i - 1].rho);
      U[i].mom -= dt / dx * (F[i].mom - F[i - 1].mom);
      U[i].ene -= dt / dx * (F[i].ene - F[i - 1].ene);
    }
    U[0] = U[1];
    U[CELLS + 1] = U[CELLS];
    t += dt;
    steps++;
  }
  printf("%d steps to t = %g\n", steps, t);
  for (i = 1; i <= CELLS; i += 30)
    printf("%.4f %.10f %.10f %.10f\n", (i - 0.5) * dx, U[i].rho, U[i].mom / U[i].rho, pressure(U[i]));
  return 0;
}
