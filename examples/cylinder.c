/* Air past a cylinder, which sheds vortices: lattice Boltzmann, D2Q9.
 * usage: cylinder [ROWS [COLUMNS [STEPS]]] [PICTURE.png] */
#include "picture.h"

#define SPEED 0.1f
#define REYNOLDS 150.0f

/* Velocities of a cell, for the picture. */
#define VX(i, j) (f[1][i][j] - f[3][i][j] + f[5][i][j] - f[6][i][j] - f[7][i][j] + f[8][i][j])
#define VY(i, j) (f[2][i][j] - f[4][i][j] + f[5][i][j] + f[6][i][j] - f[7][i][j] - f[8][i][j])

/* What flows into one of the nine directions, of weight `w` and with the velocity `c` along it, at rest. */
static float equilibrium(float w, float rho, float c, float square)
{
  return w * rho * (1.0f + 3.0f * c + 4.5f * c * c - 1.5f * square);
}

/* Particles arrive from all sides, collide, and bounce back from what is solid. */
static void step(int rows, int columns, float omega, int solid[rows][columns], float f[9][rows][columns],
                 float next[9][rows][columns])
{
  for (int i = 1; i < rows - 1; i++)
    for (int j = 1; j < columns - 1; j++) {
      float o = f[0][i][j], e = f[1][i][j - 1], s = f[2][i - 1][j], w = f[3][i][j + 1], n = f[4][i + 1][j];
      float se = f[5][i - 1][j - 1], sw = f[6][i - 1][j + 1], nw = f[7][i + 1][j + 1], ne = f[8][i + 1][j - 1];
      float rho = o + e + s + w + n + se + sw + nw + ne;
      float x = (e + se + ne - w - sw - nw) / rho, y = (s + se + sw - n - nw - ne) / rho, xy = x * x + y * y;

      next[0][i][j] = o + omega * (equilibrium(4 / 9.0f, rho, 0.0f, xy) - o);
      next[1][i][j] = solid[i][j] ? w : e + omega * (equilibrium(1 / 9.0f, rho, x, xy) - e);
      next[2][i][j] = solid[i][j] ? n : s + omega * (equilibrium(1 / 9.0f, rho, y, xy) - s);
      next[3][i][j] = solid[i][j] ? e : w + omega * (equilibrium(1 / 9.0f, rho, -x, xy) - w);
      next[4][i][j] = solid[i][j] ? s : n + omega * (equilibrium(1 / 9.0f, rho, -y, xy) - n);
      next[5][i][j] = solid[i][j] ? nw : se + omega * (equilibrium(1 / 36.0f, rho, x + y, xy) - se);
      next[6][i][j] = solid[i][j] ? ne : sw + omega * (equilibrium(1 / 36.0f, rho, y - x, xy) - sw);
      next[7][i][j] = solid[i][j] ? se : nw + omega * (equilibrium(1 / 36.0f, rho, -x - y, xy) - nw);
      next[8][i][j] = solid[i][j] ? sw : ne + omega * (equilibrium(1 / 36.0f, rho, x - y, xy) - ne);
    }
}

int main(int argc, char **argv)
{
  const char *picture = argc > 1 && strstr(argv[argc - 1], ".png") ? argv[--argc] : NULL;
  int rows = argc > 1 ? atoi(argv[1]) : 64;
  int columns = argc > 2 ? atoi(argv[2]) : 96;
  int steps = argc > 3 ? atoi(argv[3]) : 40;
  size_t size = sizeof(float[9][rows][columns]);
  float (*f)[rows][columns] = malloc(size), (*next)[rows][columns] = malloc(size);
  float (*curl)[columns] = calloc(rows, sizeof *curl);
  int (*solid)[columns] = malloc(sizeof(int[rows][columns]));
  float radius = rows / 10.0f, omega = 1.0f / (3.0f * SPEED * 2.0f * radius / REYNOLDS + 0.5f);
  double sum = 0;

  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) {
      float y = i - 0.5f * rows + 1.5f, x = j - 0.2f * columns;

      solid[i][j] = x * x + y * y < radius * radius;
      for (int k = 0; k < 9; k++) {
        float c = k == 1 || k == 5 || k == 8 ? SPEED : k == 3 || k == 6 || k == 7 ? -SPEED : 0.0f;

        f[k][i][j] = equilibrium(k == 0 ? 4 / 9.0f : k < 5 ? 1 / 9.0f : 1 / 36.0f, 1.0f, c, SPEED * SPEED);
        next[k][i][j] = f[k][i][j];
      }
    }
  for (int t = 0; t < steps; t++) {
    step(rows, columns, omega, solid, f, next);
    float (*swap)[rows][columns] = f;
    f = next;
    next = swap;
  }
  for (int i = 1; i < rows - 1; i++)
    for (int j = 1; j < columns - 1; j++) {
      curl[i][j] = solid[i][j] ? 0.0f :
        VY(i, j + 1) - VY(i, j - 1) - VX(i + 1, j) + VX(i - 1, j);
      sum += curl[i][j] * curl[i][j];
    }
  printf("enstrophy %.9g\n", sum);
  if (picture)
    write_picture(picture, curl[0], columns, rows, -0.04f, 0.04f, FLOW);
  free(f);
  free(next);
  free(curl);
  free(solid);
  return 0;
}
