/* receivers2d: A wave with receivers: one, five that share a table, a row of them; and a wave along a line with one.
 * hexcc-test: args=N,M,T run=60,50,3;70,65,13;61,140,30;130,51,0
 */
#include <stdio.h>
#include <stdlib.h>

static void plane(int n, int m, int steps, float *u, float *v, float *trace, float *gather, float *row)
{
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++)
        v[i * m + j] = 2 * u[i * m + j] - v[i * m + j]
            + 0.2f * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1] - 4 * u[i * m + j]);
    trace[t] = v[n / 2 * m + m / 3];
    for (int r = 0; r < 5; r++)
      gather[t * 5 + r] = v[(12 * r + 7) * m + 40];
    for (int j = 0; j < m; j++)
      row[t * m + j] = v[35 * m + j];
    float *held = u;
    u = v;
    v = held;
  }
}

static void line(int m, int steps, double *u, double *v, double *trace)
{
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < m - 1; i++)
      v[i] = 0.25 * (u[i - 1] + 2 * u[i] + u[i + 1]);
    trace[t] = v[30] - v[31];
    double *held = u;
    u = v;
    v = held;
  }
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 70, m = argc > 2 ? atoi(argv[2]) : 65, steps = argc > 3 ? atoi(argv[3]) : 13;
  float *u = malloc(sizeof(float) * n * m), *v = malloc(sizeof(float) * n * m);
  float *trace = malloc(sizeof(float) * (steps + 1)), *gather = malloc(sizeof(float) * (steps + 1) * 5), *row = malloc(sizeof(float) * (steps + 1) * m);
  double *a = malloc(sizeof(double) * m), *b = malloc(sizeof(double) * m), *along = malloc(sizeof(double) * (steps + 1)), sum = 0;

  if (!u || !v || !trace || !gather || !row || !a || !b || !along)
    return 1;
  for (int k = 0; k < n * m; k++)
    u[k] = v[k] = k * 7919 % 1009 / 1009.0f;
  for (int j = 0; j < m; j++)
    a[j] = b[j] = j * 31 % 17;
  plane(n, m, steps, u, v, trace, gather, row);
  line(m, steps, a, b, along);
  for (int t = 0; t < steps; t++) {
    sum += trace[t] * (t + 1) + along[t];
    for (int r = 0; r < 5; r++)
      sum += gather[t * 5 + r] * (r + 2);
    for (int j = 0; j < m; j++)
      sum += row[t * m + j] * (j % 5);
  }
  for (int k = 0; k < n * m; k++)
    sum += u[k] * (k % 3) + v[k];
  printf("%.17g\n", sum);
  return 0;
}
