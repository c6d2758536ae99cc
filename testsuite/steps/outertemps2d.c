/* outertemps2d: Values of a cell in variables declared at the top of the function and used in every nest. The
 * host prints between the steps.
 * hexcc-test: args=N,M,T run=40,33,7;20,300,2;9,9,0;300,2,3 warns=HX0107
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void outertemps2d(int n, int m, int steps, float u[n][m], float v[n][m])
{
  float c, east, west, north, south;
  double most;
  int t, i, j;

  for (t = 0; t < steps; t++) {
    for (i = 1; i < n - 1; i++)
      for (j = 1; j < m - 1; j++) {
        c = u[i][j];
        east = u[i][j + 1];
        west = u[i][j - 1];
        north = u[i - 1][j];
        south = u[i + 1][j];
        v[i][j] = c + 0.1f * (east + west + north + south - 4.0f * c);
      }
    for (i = 1; i < n - 1; i++)
      for (j = 1; j < m - 1; j++) {
        c = v[i][j];
#ifdef CUBIC
        east = c * c;
        c = c - 0.01f * east * c;
#endif
        u[i][j] = 0.99f * c;
      }
    most = 0;
    for (i = 0; i < n; i++)
      for (j = 0; j < m; j++)
        most = fmax(most, fabs(u[i][j]));
    printf("%d %.9g\n", t, most);
  }
  c = most = 1;
  printf("%g %g\n", c, most);
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 40, m = argc > 2 ? atoi(argv[2]) : 33;
  int steps = argc > 3 ? atoi(argv[3]) : 7;
  float(*u)[m] = malloc(sizeof(float[n][m])), (*v)[m] = malloc(sizeof(float[n][m]));

  if (!u || !v)
    return 1;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      u[i][j] = v[i][j] = (i * 13 + j * 7) % 29 / 3.0f;
  outertemps2d(n, m, steps, u, v);
  free(u);
  free(v);
  return 0;
}
