/* rowvolume3d: Pointers to pointers to rows, in one block each: a time loop without anything else, as a whole.
 * hexcc-test: args=l,m,n,T run=1,1,1,1;3,3,3,2;4,5,6,3;12,9,20,5 warns=HX0201
 */
#include <stdio.h>
#include <stdlib.h>

static float ***allocate(int l, int m, int n)
{
  float ***a = malloc(l * sizeof(float **));
  float **rows = malloc((size_t)l * m * sizeof(float *));
  float *all = malloc((size_t)l * m * n * sizeof(float));

  for (int i = 0; i < l; i++) {
    a[i] = rows + i * m;
    for (int j = 0; j < m; j++)
      a[i][j] = all + ((size_t)i * m + j) * n;
  }
  return a;
}

static void smooth(int l, int m, int n, int T, float ***u)
{
  for (int t = 0; t < T; t++)
    for (int i = 1; i < l - 1; i++)
      for (int j = 1; j < m - 1; j++)
        for (int k = 1; k < n - 1; k++)
          u[i][j][k] = 0.125f * (u[i-1][j][k] + u[i+1][j][k] + u[i][j-1][k] + u[i][j+1][k]) + 0.5f * u[i][j][k];
}

int main(int argc, char **argv)
{
  int l = argc > 1 ? atoi(argv[1]) : 12, m = argc > 2 ? atoi(argv[2]) : 9;
  int n = argc > 3 ? atoi(argv[3]) : 20, T = argc > 4 ? atoi(argv[4]) : 5;
  float ***u = allocate(l, m, n);
  double sum = 0;

  for (int i = 0; i < l; i++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < n; k++)
        u[i][j][k] = (float)((i * 13 + j * 7 + k * 3) % 29);
  smooth(l, m, n, T, u);
  for (int i = 0; i < l; i++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < n; k++)
        sum += u[i][j][k] * (1 + (i + j + k) % 3);
  printf("%.17g\n", sum);
  return 0;
}
