/* D3Q19 in a periodic box with a body force; velocities in tables, one function per phase. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define Q 19
#define NX 10
#define NY 12
#define NZ 14

static const int ex[Q] = { 0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0 };
static const int ey[Q] = { 0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1 };
static const int ez[Q] = { 0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1 };

static double weight(int q)
{
  if (q == 0)
    return 1.0 / 3.0;
  if (q < 7)
    return 1.0 / 18.0;
  return 1.0 / 36.0;
}

typedef struct
{
  double f[Q];
  double rho, ux, uy, uz;
} Site;

static Site lattice[NX][NY][NZ];
static double post[NX][NY][NZ][Q];

static void macroscopic(void)
{
  for (int x = 0; x < NX; x++)
    for (int y = 0; y < NY; y++)
      for (int z = 0; z < NZ; z++)
      {
        Site *s = &lattice[x][y][z];

        s->rho = s->ux = s->uy = s->uz = 0.0;
        for (int q = 0; q < Q; q++)
        {
          s->rho += s->f[q];
          s->ux += ex[q] * s->f[q];
          s->uy += ey[q] * s->f[q];
          s->uz += ez[q] * s->f[q];
        }
        s->ux /= s->rho;
        s->uy /= s->rho;
        s->uz /= s->rho;
      }
}

static void collide(double omega, double force)
{
  for (int x = 0; x < NX; x++)
    for (int y = 0; y < NY; y++)
      for (int z = 0; z < NZ; z++)
      {
        const Site *s = &lattice[x][y][z];
        double usq = s->ux * s->ux + s->uy * s->uy + s->uz * s->uz;

        for (int q = 0; q < Q; q++)
        {
          double eu = ex[q] * s->ux + ey[q] * s->uy + ez[q] * s->uz;
          double feq = weight(q) * s->rho * (1.0 + 3.0 * eu + 4.5 * eu * eu - 1.5 * usq);
          post[x][y][z][q] = s->f[q] - omega * (s->f[q] - feq) + 3.0 * weight(q) * force * ex[q];
        }
      }
}

static void stream(void)
{
  for (int x = 0; x < NX; x++)
    for (int y = 0; y < NY; y++)
      for (int z = 0; z < NZ; z++)
        for (int q = 0; q < Q; q++)
          lattice[(x + ex[q] + NX) % NX][(y + ey[q] + NY) % NY][(z + ez[q] + NZ) % NZ].f[q] = post[x][y][z][q];
}

int main(int argc, char **argv)
{
  int steps = argc > 1 ? atoi(argv[1]) : 6;
  double sum = 0.0;

  for (int x = 0; x < NX; x++)
    for (int y = 0; y < NY; y++)
      for (int z = 0; z < NZ; z++)
        for (int q = 0; q < Q; q++)
          lattice[x][y][z].f[q] = weight(q) * (1.0 + 0.01 * ((x + 2 * y + 3 * z) % 5));

  for (int t = 0; t < steps; t++)
  {
    macroscopic();
    collide(1.2, 1e-4);
    stream();
  }
  macroscopic();
  for (int x = 0; x < NX; x++)
    for (int y = 0; y < NY; y++)
      for (int z = 0; z < NZ; z++)
        sum += lattice[x][y][z].ux * (1 + z);
  printf("%d steps: %.12e\n", steps, sum);
  return 0;
}
