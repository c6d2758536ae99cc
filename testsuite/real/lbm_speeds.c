/*
** Lattice Boltzmann D2Q9-BGK in a channel with obstacles.
**
** Speeds are numbered  6 2 5
**                      3 0 1
**                      7 4 8
*/
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define NSPEEDS 9

typedef struct
{
  int    nx;
  int    ny;
  int    maxIters;
  float  density;
  float  accel;
  float  omega;
} t_param;

typedef struct
{
  float speeds[NSPEEDS];
} t_speed;

int initialise(int argc, char* argv[], t_param* params, t_speed** cells, t_speed** tmp, int** obstacles);
int timestep(const t_param params, t_speed* cells, t_speed* tmp_cells, int* obstacles);
int accelerate_flow(const t_param params, t_speed* cells, int* obstacles);
int propagate(const t_param params, t_speed* cells, t_speed* tmp_cells);
int rebound(const t_param params, t_speed* cells, t_speed* tmp_cells, int* obstacles);
int collision(const t_param params, t_speed* cells, t_speed* tmp_cells, int* obstacles);
float av_velocity(const t_param params, t_speed* cells, int* obstacles);
void die(const char* message, const int line);

int main(int argc, char* argv[])
{
  t_param  params;
  t_speed* cells     = NULL;
  t_speed* tmp_cells = NULL;
  int*     obstacles = NULL;

  initialise(argc, argv, &params, &cells, &tmp_cells, &obstacles);

  for (int tt = 0; tt < params.maxIters; tt++)
  {
    timestep(params, cells, tmp_cells, obstacles);
    if (tt % 10 == 9)
      printf("==timestep: %d== av velocity: %.8E\n", tt, av_velocity(params, cells, obstacles));
  }

  free(cells);
  free(tmp_cells);
  free(obstacles);
  return EXIT_SUCCESS;
}

int timestep(const t_param params, t_speed* cells, t_speed* tmp_cells, int* obstacles)
{
  accelerate_flow(params, cells, obstacles);
  propagate(params, cells, tmp_cells);
  rebound(params, cells, tmp_cells, obstacles);
  collision(params, cells, tmp_cells, obstacles);
  return EXIT_SUCCESS;
}

int accelerate_flow(const t_param params, t_speed* cells, int* obstacles)
{
  float w1 = params.density * params.accel / 9.f;
  float w2 = params.density * params.accel / 36.f;
  int jj = params.ny - 2;

  for (int ii = 0; ii < params.nx; ii++)
  {
    if (!obstacles[ii + jj*params.nx]
        && (cells[ii + jj*params.nx].speeds[3] - w1) > 0.f
        && (cells[ii + jj*params.nx].speeds[6] - w2) > 0.f
        && (cells[ii + jj*params.nx].speeds[7] - w2) > 0.f)
    {
      cells[ii + jj*params.nx].speeds[1] += w1;
      cells[ii + jj*params.nx].speeds[5] += w2;
      cells[ii + jj*params.nx].speeds[8] += w2;
      cells[ii + jj*params.nx].speeds[3] -= w1;
      cells[ii + jj*params.nx].speeds[6] -= w2;
      cells[ii + jj*params.nx].speeds[7] -= w2;
    }
  }
  return EXIT_SUCCESS;
}

int propagate(const t_param params, t_speed* cells, t_speed* tmp_cells)
{
  for (int jj = 0; jj < params.ny; jj++)
  {
    for (int ii = 0; ii < params.nx; ii++)
    {
      int y_n = (jj + 1) % params.ny;
      int x_e = (ii + 1) % params.nx;
      int y_s = (jj == 0) ? (jj + params.ny - 1) : (jj - 1);
      int x_w = (ii == 0) ? (ii + params.nx - 1) : (ii - 1);
      tmp_cells[ii + jj*params.nx].speeds[0] = cells[ii + jj*params.nx].speeds[0];
      tmp_cells[ii + jj*params.nx].speeds[1] = cells[x_w + jj*params.nx].speeds[1];
      tmp_cells[ii + jj*params.nx].speeds[2] = cells[ii + y_s*params.nx].speeds[2];
      tmp_cells[ii + jj*params.nx].speeds[3] = cells[x_e + jj*params.nx].speeds[3];
      tmp_cells[ii + jj*params.nx].speeds[4] = cells[ii + y_n*params.nx].speeds[4];
      tmp_cells[ii + jj*params.nx].speeds[5] = cells[x_w + y_s*params.nx].speeds[5];
      tmp_cells[ii + jj*params.nx].speeds[6] = cells[x_e + y_s*params.nx].speeds[6];
      tmp_cells[ii + jj*params.nx].speeds[7] = cells[x_e + y_n*params.nx].speeds[7];
      tmp_cells[ii + jj*params.nx].speeds[8] = cells[x_w + y_n*params.nx].speeds[8];
    }
  }
  return EXIT_SUCCESS;
}

int rebound(const t_param params, t_speed* cells, t_speed* tmp_cells, int* obstacles)
{
  for (int jj = 0; jj < params.ny; jj++)
    for (int ii = 0; ii < params.nx; ii++)
      if (obstacles[jj*params.nx + ii])
      {
        cells[ii + jj*params.nx].speeds[1] = tmp_cells[ii + jj*params.nx].speeds[3];
        cells[ii + jj*params.nx].speeds[2] = tmp_cells[ii + jj*params.nx].speeds[4];
        cells[ii + jj*params.nx].speeds[3] = tmp_cells[ii + jj*params.nx].speeds[1];
        cells[ii + jj*params.nx].speeds[4] = tmp_cells[ii + jj*params.nx].speeds[2];
        cells[ii + jj*params.nx].speeds[5] = tmp_cells[ii + jj*params.nx].speeds[7];
        cells[ii + jj*params.nx].speeds[6] = tmp_cells[ii + jj*params.nx].speeds[8];
        cells[ii + jj*params.nx].speeds[7] = tmp_cells[ii + jj*params.nx].speeds[5];
        cells[ii + jj*params.nx].speeds[8] = tmp_cells[ii + jj*params.nx].speeds[6];
      }
  return EXIT_SUCCESS;
}

int collision(const t_param params, t_speed* cells, t_speed* tmp_cells, int* obstacles)
{
  static const int cx[NSPEEDS] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
  static const int cy[NSPEEDS] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  const float w[NSPEEDS] = {4.f/9, 1.f/9, 1.f/9, 1.f/9, 1.f/9, 1.f/36, 1.f/36, 1.f/36, 1.f/36};

  for (int jj = 0; jj < params.ny; jj++)
  {
    for (int ii = 0; ii < params.nx; ii++)
    {
      if (!obstacles[ii + jj*params.nx])
      {
        float rho = 0.f, ux = 0.f, uy = 0.f;
        for (int kk = 0; kk < NSPEEDS; kk++)
        {
          float s = tmp_cells[ii + jj*params.nx].speeds[kk];
          rho += s;
          ux += cx[kk] * s;
          uy += cy[kk] * s;
        }
        ux /= rho;
        uy /= rho;
        float u_sq = ux * ux + uy * uy;
        for (int kk = 0; kk < NSPEEDS; kk++)
        {
          float cu = cx[kk] * ux + cy[kk] * uy;
          float d_equ = w[kk] * rho * (1.f + 3.f * cu + 4.5f * cu * cu - 1.5f * u_sq);
          cells[ii + jj*params.nx].speeds[kk] = tmp_cells[ii + jj*params.nx].speeds[kk]
            + params.omega * (d_equ - tmp_cells[ii + jj*params.nx].speeds[kk]);
        }
      }
    }
  }
  return EXIT_SUCCESS;
}

float av_velocity(const t_param params, t_speed* cells, int* obstacles)
{
  int   tot_cells = 0;
  float tot_u = 0.f;

  for (int jj = 0; jj < params.ny; jj++)
    for (int ii = 0; ii < params.nx; ii++)
    {
      if (obstacles[ii + jj*params.nx]) continue;
      float rho = 0.f;
      for (int kk = 0; kk < NSPEEDS; kk++)
        rho += cells[ii + jj*params.nx].speeds[kk];
      float* s = cells[ii + jj*params.nx].speeds;
      float u_x = (s[1] + s[5] + s[8] - (s[3] + s[6] + s[7])) / rho;
      float u_y = (s[2] + s[5] + s[6] - (s[4] + s[7] + s[8])) / rho;
      tot_u += sqrtf((u_x * u_x) + (u_y * u_y));
      ++tot_cells;
    }
  return tot_u / (float)tot_cells;
}

int initialise(int argc, char* argv[], t_param* params, t_speed** cells_ptr, t_speed** tmp_cells_ptr, int** obstacles_ptr)
{
  params->nx = argc > 1 ? atoi(argv[1]) : 32;
  params->ny = argc > 2 ? atoi(argv[2]) : 24;
  params->maxIters = argc > 3 ? atoi(argv[3]) : 30;
  params->density = 0.1f;
  params->accel = 0.005f;
  params->omega = 1.7f;

  *cells_ptr = (t_speed*)malloc(sizeof(t_speed) * (params->ny * params->nx));
  if (*cells_ptr == NULL) die("cannot allocate memory for cells", __LINE__);
  *tmp_cells_ptr = (t_speed*)malloc(sizeof(t_speed) * (params->ny * params->nx));
  if (*tmp_cells_ptr == NULL) die("cannot allocate memory for tmp_cells", __LINE__);
  *obstacles_ptr = malloc(sizeof(int) * (params->ny * params->nx));
  if (*obstacles_ptr == NULL) die("cannot allocate memory for obstacles", __LINE__);

  for (int jj = 0; jj < params->ny; jj++)
    for (int ii = 0; ii < params->nx; ii++)
    {
      for (int kk = 0; kk < NSPEEDS; kk++)
      {
        float w = kk == 0 ? 4.f / 9.f : kk < 5 ? 1.f / 9.f : 1.f / 36.f;
        (*cells_ptr)[ii + jj*params->nx].speeds[kk] = params->density * w;
      }
      (*obstacles_ptr)[ii + jj*params->nx] = jj == 0 || jj == params->ny - 1 || (ii == params->nx / 3 && jj > 6 && jj < 12);
    }
  return EXIT_SUCCESS;
}

void die(const char* message, const int line)
{
  fprintf(stderr, "Error at line %d: %s\n", line, message);
  exit(EXIT_FAILURE);
}
