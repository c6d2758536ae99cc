/* Steady temperature of a plate with a hole by successive over-relaxation. */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define NX 70
#define NY 55
#define AT(i, j) ((i) * NY + (j))

typedef struct {
  double *temp;
  int *hole;
  double omega;
} Plate;

static void setup(Plate *p, double omega)
{
  int i, j;
  p->temp = malloc(NX * NY * sizeof(double));
  p->hole = malloc(NX * NY * sizeof(int));
  p->omega = omega;
  for (i = 0; i < NX; i++)
    for (j = 0; j < NY; j++) {
      p->temp[AT(i, j)] = i == 0 ? 100.0 : j == NY - 1 ? 20.0 : 0.0;
      p->hole[AT(i, j)] = (i - 30) * (i - 30) + (j - 25) * (j - 25) < 64;
    }
}

/* One sweep; returns the largest change. */
static double sweep(Plate *p)
{
  double *u = p->temp;
  int *hole = p->hole;
  double largest = 0.0;
  for (int i = 1; i < NX - 1; i++)
    for (int j = 1; j < NY - 1; j++) {
      double mean = 0.25 * (u[AT(i - 1, j)] + u[AT(i + 1, j)] + u[AT(i, j - 1)] + u[AT(i, j + 1)]);
      double change = hole[AT(i, j)] ? 0.0 : p->omega * (mean - u[AT(i, j)]);
      u[AT(i, j)] += change;
      largest = fmax(largest, fabs(change));
    }
  return largest;
}

int main(int argc, char **argv)
{
  Plate plate;
  double tolerance = argc > 1 ? atof(argv[1]) : 1e-3;
  int most = argc > 2 ? atoi(argv[2]) : 400;
  int n = 0;
  double largest;

  setup(&plate, 1.7);
  do {
    largest = sweep(&plate);
    n++;
    if (n % 25 == 0)
      printf("%4d %.10e\n", n, largest);
  } while (largest > tolerance && n < most);

  printf("%d sweeps, last change %.10e\n", n, largest);
  for (int i = 0; i < NX; i += 10)
    printf("%.10f %.10f\n", plate.temp[AT(i, 12)], plate.temp[AT(i, NY - 5)]);
  free(plate.temp);
  free(plate.hole);
  return 0;
}
