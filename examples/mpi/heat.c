/* Heat in a plate with fixed edges: planes t % 2. */
void heat(int size, int steps, float plate[2][size][size])
{
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < size - 1; i++)
      for (int j = 1; j < size - 1; j++)
        plate[(t + 1) % 2][i][j] = 0.5f * plate[t % 2][i][j]
          + 0.125f * (plate[t % 2][i - 1][j] + plate[t % 2][i][j - 1] + plate[t % 2][i][j + 1] + plate[t % 2][i + 1][j]);
}
