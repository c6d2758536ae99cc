/* Abelian sandpile: topples all full cells at once until none is left. */
#include <stdio.h>
#include <stdlib.h>
#include <stdbool.h>

#define N 51

int sand[N+2][N+2], give[N+2][N+2];

bool topple(void)
{
  bool again = false;

  for (int i = 1; i <= N; ++i)
    for (int j = 1; j <= N; ++j)
      give[i][j] = sand[i][j] / 4;

  for (int i = 1; i <= N; ++i)
    for (int j = 1; j <= N; ++j) {
      sand[i][j] = sand[i][j] % 4 + give[i-1][j] + give[i+1][j] + give[i][j-1] + give[i][j+1];
      if (sand[i][j] >= 4)
        again = true;
    }
  return again;
}

int main(int argc, char **argv)
{
  int grains = 2000, rounds = 0;

  if (argc > 1 && (grains = atoi(argv[1])) <= 0) {
    fprintf(stderr, "%s: number of grains\n", argv[0]);
    return 1;
  }
  sand[N/2+1][N/2+1] = grains;

  while (topple())
    ++rounds;

  int count[4] = {0}, total = 0;
  for (int i = 1; i <= N; ++i)
    for (int j = 1; j <= N; ++j) {
      count[sand[i][j]]++;
      total += sand[i][j];
    }
  printf("%d rounds, %d of %d grains left\n", rounds, total, grains);
  for (int k = 0; k < 4; ++k)
    printf("%d: %d\n", k, count[k]);

  for (int i = N/2 - 6; i <= N/2 + 8; ++i) {
    for (int j = N/2 - 6; j <= N/2 + 8; ++j)
      putchar(" .o#"[sand[i][j]]);
    putchar('\n');
  }
  return 0;
}
