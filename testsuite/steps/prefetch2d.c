/* prefetch2d: Hints to the machine in steps of which the host looks at some.
 * hexcc-test: args=N,T,every run=3,2,1;4,0,1;9,5,2;40,17,5;70,9,20 warns=HX0107
 */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
  int N = argc > 1 ? atoi(argv[1]) : 32;
  int T = argc > 2 ? atoi(argv[2]) : 9;
  int every = argc > 3 ? atoi(argv[3]) : 4;

  double (*a)[N] = malloc(sizeof(double[N][N])), (*b)[N] = calloc(N, sizeof *b);

  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = (i * 37 % 11 + j * 3 % 7) / 8.0;
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++) {
        __builtin_prefetch(&a[i + 1][j]);
        b[i][j] = 0.25 * (a[i-1][j] + a[i][j-1] + a[i+1][j] + a[i][j+1]);
      }
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        a[i][j] = b[i][j];
    if (t % every == 0)
      printf("%a\n", a[N / 2][N / 2]);
  }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      printf("%a\n", a[i][j]);
  return 0;
}
