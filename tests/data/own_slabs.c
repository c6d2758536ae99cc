#ifdef RING /* the first row is the last one's neighbour */
#define FIRST 0
#define UP(i) ((i) == 0 ? size - 1 : (i) - 1)
#define DOWN(i) ((i) == size - 1 ? 0 : (i) + 1)
#else
#define FIRST 1
#define UP(i) ((i) - 1)
#define DOWN(i) ((i) + 1)
#endif

void wave(int size, int steps, float field[2][size][size][size], float speed[size][size][size])
{
  for (int t = 0; t < steps; t++)
    for (int i = FIRST; i < size - FIRST; i++)
      for (int j = 1; j < size - 1; j++)
        for (int k = 1; k < size - 1; k++)
          field[(t + 1) % 2][i][j][k] = 2 * field[t % 2][i][j][k] - field[(t + 1) % 2][i][j][k]
            + speed[i][j][k] * (field[t % 2][UP(i)][j][k] + field[t % 2][DOWN(i)][j][k] + field[t % 2][i][j - 1][k]
                                + field[t % 2][i][j + 1][k] + field[t % 2][i][j][k - 1] + field[t % 2][i][j][k + 1]
                                - 6 * field[t % 2][i][j][k]);
}
