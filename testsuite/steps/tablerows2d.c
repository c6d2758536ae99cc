/* tablerows2d: A sum over neighbours by tables in a function of arrays of variable length, called twice in a step.
 * hexcc-test: args=N,M,T run=40,50,6;17,33,5;9,64,3;3,3,4;30,40,0;5,2,1
 */
#include <stdio.h>
#include <stdlib.h>

static const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const float w[9] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};

static void smooth(int n, int m, float (*from)[m], float to[n][m])
{
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++) {
      float sum = 0;
      for (int k = 0; k < 9; k++)
        sum += w[k] * from[i - cy[k]][j - cx[k]];
      to[i][j] = sum;
    }
}

int main(int argc, char **argv)
{
  int n = atoi(argv[1]), m = atoi(argv[2]), steps = atoi(argv[3]);
  float (*a)[m] = malloc(n * sizeof *a), (*b)[m] = malloc(n * sizeof *b);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i][j] = b[i][j] = (i * 5 + j) % 7;
  for (int t = 0; t < steps; t++) {
    smooth(n, m, a, b);
    smooth(n, m, b, a);
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      printf("%a\n", a[i][j]);
  return 0;
}
