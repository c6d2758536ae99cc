/* localplanes2d: Steps with pointers of their own to the planes: as rows, of members that they swap, and of a table by the number of the step; the first loop counts the time, and the last one swaps before its step.
 * hexcc-test: args=N,M,T run=3,4,2;20,31,3;65,50,13;130,70,10
 */
#include <stdio.h>
#include <stdlib.h>

struct sim
{
  int nx, ny, n_steps;
  double *p, *q;
};

static double *plane(int nx, int ny)
{
  double *p = malloc(sizeof(double) * nx * ny);
  if (!p)
    exit(1);
  for (int k = 0; k < nx * ny; k++)
    p[k] = (k * 7) % 11;
  return p;
}

static void smooth(int nx, int ny, double *pn, const double *pc)
{
  double (*next)[ny] = (double (*)[ny])pn;
  const double (*now)[ny] = (const double (*)[ny])pc;

  for (int i = 1; i < nx - 1; i++)
    for (int j = 1; j < ny - 1; j++)
      next[i][j] = 0.25 * (now[i - 1][j] + now[i + 1][j] + now[i][j - 1] + now[i][j + 1]);
}

static void advance(struct sim *s)
{
  double *p = s->p, *q = s->q;

  for (int i = 1; i < s->nx - 1; i++)
    for (int j = 1; j < s->ny - 1; j++)
      q[i * s->ny + j] = p[i * s->ny + j] + 0.125 * (p[(i + 1) * s->ny + j] - p[i * s->ny + j - 1]);
  s->p = q;
  s->q = p;
  s->n_steps++;
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 65, m = argc > 2 ? atoi(argv[2]) : 50, steps = argc > 3 ? atoi(argv[3]) : 12;
  double *u = plane(n, m), *v = plane(n, m), *planes[2] = {plane(n, m), plane(n, m)}, sum = 0, end = 0.01 * steps;
  struct sim s = {n, m, 0, plane(n, m), plane(n, m)};

  for (double t = 0; t < end; t += 0.01) {
    smooth(n, m, v, u);
    double *held = u;
    u = v;
    v = held;
  }
  for (int t = 0; t < steps; t++)
    advance(&s);
  for (int t = 0; t < steps; t++) {
    double *from = planes[t % 2], *to = planes[(t + 1) % 2];
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++)
        to[i * m + j] = from[i * m + j] - 0.25 * (from[(i - 1) * m + j] - from[i * m + j + 1]);
  }
  for (int t = 0; t < steps; t++) {
    double *first = u;
    u = v;
    v = first;
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++)
        u[i * m + j] = 0.5 * (v[i * m + j] + v[(i - 1) * m + j]);
  }
  for (int k = 0; k < n * m; k++) {
    sum += u[k] * (k % 13) - v[k] * (k % 7);
    sum += s.p[k] * (k % 3) + s.q[k] * (k % 5);
    sum += planes[0][k] * (k % 17) + planes[1][k] * (k % 19);
  }
  printf("%d %.17g\n", s.n_steps, sum);
  free(u);
  free(v);
  free(s.p);
  free(s.q);
  free(planes[0]);
  free(planes[1]);
  return 0;
}
