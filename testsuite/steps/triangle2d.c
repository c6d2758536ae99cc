/* triangle2d: Rows of different lengths in a table at file scope, of integers of 8 bits; none is touched behind its end.
 * hexcc-test: args=n,T run=1,1;2,3;5,2;60,7 warns=HX0107
 */
#include <stdio.h>
#include <stdlib.h>

#define N 60

static unsigned char *A[N], *B[N];

static void relax(int n)
{
  for (int i = 2; i < n; i++)
    for (int j = 1; j < i; j++)
      B[i][j] = (unsigned char)(A[i][j] + A[i][j-1] + A[i][j+1] + 3 * A[i-1][j]);
  for (int i = 2; i < n; i++)
    for (int j = 1; j < i; j++)
      A[i][j] = B[i][j];
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : N;
  int T = argc > 2 ? atoi(argv[2]) : 7;
  unsigned hash = 0;

  for (int i = 0; i < n; i++) {
    A[i] = malloc(i + 1);
    B[i] = malloc(i + 1);
    for (int j = 0; j <= i; j++)
      A[i][j] = B[i][j] = (unsigned char)(i * 7 + j * 3);
  }
  for (int t = 0; t < T; t++) {
    relax(n);
    printf("%d: %d\n", t, A[n-1][n/2]);
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      hash = hash * 31 + A[i][j];
  printf("%u\n", hash);
  return 0;
}
