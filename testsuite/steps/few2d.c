/* few2d: A time loop that prints, and nests in it of few iterations: they run in kernels, and a warning says
 * that these are small.
 * hexcc-test: args=T run=0;1;5 warns=HX0107,HX0206
 */
#include <stdio.h>
#include <stdlib.h>

void few2d(int T, float A[8][8], float B[8][8])
{
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < 7; i++)
      for (int j = 1; j < 7; j++)
        B[i][j] = 0.25f * (A[i-1][j] + A[i+1][j] + A[i][j-1] + A[i][j+1]);
    for (int i = 1; i < 7; i++)
      for (int j = 1; j < 7; j++)
        A[i][j] = B[i][j];
    printf("%d %.9g\n", t, A[3][4]);
  }
}

int main(int argc, char **argv)
{
  static float A[8][8], B[8][8];

  for (int i = 0; i < 64; i++)
    A[i / 8][i % 8] = (i * 13) % 29 / 3.0f;
  few2d(argc > 1 ? atoi(argv[1]) : 5, A, B);
  return 0;
}
