/* history2d: Loops that end by themselves and keep what they found: in an array, in one that was given, behind pointers to numbers.
 * hexcc-test: args=T run=0;1;30;400
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 70, M = 90, MOST = 500 };

static double u[N][M], v[N][M];
static float longest[MOST];

static void begin(int k)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      u[i][j] = v[i][j] = (i * 7 + j * k) % 17;
}

static int solve(int most, double tolerance, double *last, double *history, int *n_kept)
{
  int it;
  *n_kept = 0;
  for (it = 0; it < most; it++) {
    double change = 0;
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < M - 1; j++) {
        v[i][j] = 0.25 * (u[i-1][j] + u[i+1][j] + u[i][j-1] + u[i][j+1]);
        change = fmax(change, fabs(v[i][j] - u[i][j]));
      }
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < M - 1; j++)
        u[i][j] = v[i][j];
    *last = change;
    if (history && it % 3 == 0)
      history[(*n_kept)++] = change;
    if (change < tolerance)
      break;
  }
  return it;
}

int main(int argc, char **argv)
{
  int steps = argc > 1 ? atoi(argv[1]) : 9, n_kept, it;
  double *kept = (double *)malloc(sizeof(double) * MOST), last = -1, sum = 0;

  begin(13);
  it = solve(steps, 1e-1, &last, kept, &n_kept);
  printf("%d %d %.17g\n", it, n_kept, last);
  for (int k = 0; k < n_kept; k += 7)
    printf("%.17g\n", kept[k]);
  it = solve(steps / 2, 1e-2, &last, NULL, &n_kept);
  printf("%d %d %.17g\n", it, n_kept, last);
  begin(11);
  it = 0;
  do {
    float most = 0;
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < M - 1; j++)
        v[i][j] = 0.25 * (u[i-1][j] + u[i+1][j] + u[i][j-1] + u[i][j+1]);
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < M - 1; j++) {
        float d = (float)fabs(v[i][j] - u[i][j]);
        if (d > most)
          most = d;
        u[i][j] = v[i][j];
      }
    longest[it++] = most;
    if (it >= 3 && longest[it - 1] + longest[it - 2] + longest[it - 3] < 0.2f)
      break;
  } while (it < steps);
  for (int k = 0; k < it; k += 5)
    printf("%.9g\n", longest[k]);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      sum += u[i][j] * (1 + (i * 5 + j) % 13) + v[i][j] * (j % 3);
  printf("%d %.17g\n", it, sum);
  free(kept);
  return 0;
}
