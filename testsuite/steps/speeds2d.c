/* speeds2d: A lattice of structs, `cells[ii + jj*params.nx].speeds[k]`, flat, with parameters in a struct by value; one nest per phase.
 * hexcc-test: args=nx,ny,T run=3,3,0;4,3,2;40,23,5;17,65,3 warns=HX0107
 */
#include <stdio.h>
#include <stdlib.h>

#define NSPEEDS 9

typedef struct {
  float speeds[NSPEEDS];
} t_speed;

typedef struct {
  int nx, ny;
  float omega;
} t_param;

static void propagate(const t_param params, t_speed *cells, t_speed *tmp_cells)
{
  for (int jj = 1; jj < params.ny - 1; jj++)
    for (int ii = 1; ii < params.nx - 1; ii++) {
      t_speed *to = &tmp_cells[ii + jj * params.nx];

      to->speeds[0] = cells[ii + jj * params.nx].speeds[0];
      to->speeds[1] = cells[ii - 1 + jj * params.nx].speeds[1];
      to->speeds[2] = cells[ii + (jj - 1) * params.nx].speeds[2];
      to->speeds[3] = cells[ii + 1 + jj * params.nx].speeds[3];
      to->speeds[4] = cells[ii + (jj + 1) * params.nx].speeds[4];
      to->speeds[5] = cells[ii - 1 + (jj - 1) * params.nx].speeds[5];
      to->speeds[6] = cells[ii + 1 + (jj - 1) * params.nx].speeds[6];
      to->speeds[7] = cells[ii + 1 + (jj + 1) * params.nx].speeds[7];
      to->speeds[8] = cells[ii - 1 + (jj + 1) * params.nx].speeds[8];
    }
}

static void collision(const t_param params, t_speed *cells, const t_speed *tmp_cells)
{
  static const int cx[NSPEEDS] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
  static const int cy[NSPEEDS] = {0, 0, 1, 0, -1, 1, 1, -1, -1};

  for (int jj = 1; jj < params.ny - 1; jj++)
    for (int ii = 1; ii < params.nx - 1; ii++) {
      const float *s = tmp_cells[ii + jj * params.nx].speeds;
      float rho = 0.0f, ux = 0.0f, uy = 0.0f;

      for (int kk = 0; kk < NSPEEDS; kk++) {
        rho += s[kk];
        ux += cx[kk] * s[kk];
        uy += cy[kk] * s[kk];
      }
      for (int kk = 0; kk < NSPEEDS; kk++) {
        float cu = cx[kk] * ux + cy[kk] * uy;

        cells[ii + jj * params.nx].speeds[kk] = s[kk] + params.omega * (rho * (1.0f / 9.0f + cu) - s[kk]);
      }
    }
}

int main(int argc, char **argv)
{
  int T = argc > 3 ? atoi(argv[3]) : 5;
  t_param params = {argc > 1 ? atoi(argv[1]) : 40, argc > 2 ? atoi(argv[2]) : 23, 0.5f};
  int n = params.nx * params.ny;
  t_speed *cells = malloc(sizeof(t_speed) * (size_t)n);
  t_speed *tmp_cells = calloc((size_t)n, sizeof(t_speed));
  unsigned long long hash = 0;

  for (int i = 0; i < n; i++)
    for (int k = 0; k < NSPEEDS; k++)
      cells[i].speeds[k] = (float)((i * 5 + k) % 9) * 0.25f;

  for (int t = 0; t < T; t++) {
    propagate(params, cells, tmp_cells);
    collision(params, cells, tmp_cells);
    if (t % 3 == 2)
      printf("%d %a\n", t, cells[n / 2].speeds[1]);
  }

  for (int i = 0; i < n; i++)
    for (int k = 0; k < NSPEEDS; k++)
      hash = hash * 31 + (unsigned long long)(long long)(cells[i].speeds[k] * 4096);
  printf("hash %llx\n", hash);
  free(cells);
  free(tmp_cells);
  return 0;
}
