// Spiral wave in an excitable medium. Two planes, p and 1 - p.
#include <stdio.h>
#include <stdlib.h>

const int n = 72;

typedef struct { double *v, *w; } state;

static int I(int r, int c) { return r * n + c; }

static state make_state(void)
{
  state s;
  s.v = malloc(sizeof(double) * n * n);
  s.w = malloc(sizeof(double) * n * n);
  if (!s.v || !s.w) {
    fprintf(stderr, "memory\n");
    exit(1);
  }
  return s;
}

static void free_state(state *s)
{
  free(s->v);
  free(s->w);
}

static void step(state from, state to, double dt, double D)
{
  const double a = 0.1, eps = 0.01, beta = 0.5, gamma = 1.0;

  for (int r = 0; r < n; r++)
    for (int c = 0; c < n; c++) {
      double v = from.v[I(r, c)], w = from.w[I(r, c)];
      double north = from.v[I(r == 0 ? 1 : r - 1, c)];
      double south = from.v[I(r == n - 1 ? n - 2 : r + 1, c)];
      double west = from.v[I(r, c == 0 ? 1 : c - 1)];
      double east = from.v[I(r, c == n - 1 ? n - 2 : c + 1)];

      to.v[I(r, c)] = v + dt * (D * (north + south + west + east - 4 * v) + v * (1 - v) * (v - a) - w);
      to.w[I(r, c)] = w + dt * eps * (beta * v - gamma * w);
    }
}

int main(int argc, char **argv)
{
  state s[2] = { make_state(), make_state() };
  int steps = argc > 1 ? atoi(argv[1]) : 60, p = 0;

  for (int r = 0; r < n; r++)
    for (int c = 0; c < n; c++) {
      s[p].v[I(r, c)] = c < n / 2 ? 1.0 : 0.0;
      s[p].w[I(r, c)] = r < n / 2 ? 0.2 : 0.0;
    }
  for (int k = 0; k < steps; k++) {
    step(s[p], s[1 - p], 0.1, 1.0);
    p = 1 - p;
  }
  double sum = 0;
  for (int k = 0; k < n * n; k++)
    sum += s[p].v[k] + 2 * s[p].w[k];
  printf("%d %.13e\n", steps, sum);
  free_state(&s[0]);
  free_state(&s[1]);
  return 0;
}
