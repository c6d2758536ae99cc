/* Gray-Scott: two substances react and spread on a torus, and make patterns like those of corals.
 * usage: grayscott [ROWS [COLUMNS [STEPS]]] [PICTURE.png] */
#include "picture.h"

#define FEED 0.037f
#define KILL 0.06f

/* The first substance, and blocks of the second one here and there. */
static void start(int n, int m, float u[n][m], float v[n][m])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      unsigned block = (i / 8 * 7919u + j / 8 * 104729u + 17u) * 2654435761u >> 24;

      u[i][j] = block < 16 ? 0.5f : 1.0f;
      v[i][j] = block < 16 ? 0.25f : 0.0f;
    }
}

static void step(int n, int m, float u[n][m], float v[n][m], float u_next[n][m], float v_next[n][m])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      int up = (i + n - 1) % n, down = (i + 1) % n, left = (j + m - 1) % m, right = (j + 1) % m;
      float spread_u = u[up][j] + u[down][j] + u[i][left] + u[i][right] - 4.0f * u[i][j];
      float spread_v = v[up][j] + v[down][j] + v[i][left] + v[i][right] - 4.0f * v[i][j];
      float reaction = u[i][j] * v[i][j] * v[i][j];

      u_next[i][j] = u[i][j] + 0.2f * spread_u - reaction + FEED * (1.0f - u[i][j]);
      v_next[i][j] = v[i][j] + 0.1f * spread_v + reaction - (FEED + KILL) * v[i][j];
    }
}

int main(int argc, char **argv)
{
  const char *picture = argc > 1 && strstr(argv[argc - 1], ".png") ? argv[--argc] : NULL;
  int n = argc > 1 ? atoi(argv[1]) : 64;
  int m = argc > 2 ? atoi(argv[2]) : 96;
  int steps = argc > 3 ? atoi(argv[3]) : 100;
  size_t size = sizeof(float[n][m]);
  float (*u)[m] = malloc(size), (*u_next)[m] = malloc(size);
  float (*v)[m] = malloc(size), (*v_next)[m] = malloc(size);
  double sum = 0;

  start(n, m, u, v);
  for (int t = 0; t < steps; t++) {
    step(n, m, u, v, u_next, v_next);
    float (*swap)[m] = u;
    u = u_next;
    u_next = swap;
    swap = v;
    v = v_next;
    v_next = swap;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      sum += v[i][j];
  printf("second substance %.9f\n", sum / n / m);
  if (picture)
    write_picture(picture, v[0], m, n, 0.0f, 0.4f, SEA);
  free(u);
  free(v);
  free(u_next);
  free(v_next);
  return 0;
}
