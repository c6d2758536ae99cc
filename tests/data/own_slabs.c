void wave(int size, int steps, float field[2][size][size][size], float speed[size][size][size])
{
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < size - 1; i++)
      for (int j = 1; j < size - 1; j++)
        for (int k = 1; k < size - 1; k++)
          field[(t + 1) % 2][i][j][k] = 2 * field[t % 2][i][j][k] - field[(t + 1) % 2][i][j][k]
            + speed[i][j][k] * (field[t % 2][i - 1][j][k] + field[t % 2][i + 1][j][k] + field[t % 2][i][j - 1][k]
                                + field[t % 2][i][j + 1][k] + field[t % 2][i][j][k - 1] + field[t % 2][i][j][k + 1]
                                - 6 * field[t % 2][i][j][k]);
}
