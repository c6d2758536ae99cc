/* maskcalls2d: Cells that a mask of truth values leaves out, with elements found by a function, and walls that a `switch` chooses.
 * hexcc-test: args=N,T run=3,2;20,5;65,40;97,9
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum side { LEFT, RIGHT };

static inline size_t at(int i, int j, int m)
{
  return (size_t)i * m + j;
}

static void wall(enum side side, int n, int m, float *u)
{
  switch (side) {
  case LEFT:
    for (int i = 0; i < n; i++)
      u[at(i, 0, m)] = 1;
    break;
  case RIGHT: {
    const float right = 0.5f;
    for (int i = 0; i < n; i++)
      u[at(i, m - 1, m)] = right;
    break;
  }
  }
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 65, steps = argc > 2 ? atoi(argv[2]) : 40, m = n + 5, result = 1;
  float *u = NULL, *v = NULL;
  bool *solid = NULL;

  u = malloc(sizeof(float) * n * m);
  if (!u)
    goto done;
  v = malloc(sizeof(float) * n * m);
  if (!v)
    goto done;
  solid = malloc(sizeof *solid * n * m);
  if (!solid)
    goto done;
  for (int i = 0; i < n * m; i++) {
    u[i] = v[i] = i * 31 % 101 * 0.01f;
    solid[i] = i * 7 % 11 < 2;
  }
  for (int t = 0; t < steps; t++) {
    wall(LEFT, n, m, u);
    wall(RIGHT, n, m, u);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++) {
        if (solid[at(i, j, m)]) {
          v[at(i, j, m)] = 0;
          continue;
        }
        float along = u[at(i, j - 1, m)] + u[at(i, j + 1, m)];
        float across = u[at(i - 1, j, m)] + u[at(i + 1, j, m)];

        v[at(i, j, m)] = 0.25f * (along + across);
      }
    float *old = u;

    u = v;
    v = old;
  }
  printf("%.9g, %.9g\n", u[at(n / 2, m / 2, m)], u[at(n / 3, 0, m)]);
  result = 0;
done:
  free(u);
  free(v);
  free(solid);
  return result;
}
