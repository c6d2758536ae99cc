/* threebuffers3d: acoustic waves of eighth order; tiles of three time buffers in 3D are no faster than single steps.
 * hexcc-test: warns=HX0210 instead=--tiling,hybrid
 */
static float u[3][200][200][200], v[200][200][200];

#define FAR(d) (u[(t+1)%3][i-(d)][j][k] + u[(t+1)%3][i+(d)][j][k] + u[(t+1)%3][i][j-(d)][k] \
                + u[(t+1)%3][i][j+(d)][k] + u[(t+1)%3][i][j][k-(d)] + u[(t+1)%3][i][j][k+(d)])

int main(void)
{
#pragma scop
  for (int t = 0; t < 100; t++) // here
    for (int i = 4; i < 196; i++)
      for (int j = 4; j < 196; j++)
        for (int k = 4; k < 196; k++)
          u[(t+2)%3][i][j][k] = 2.0f * u[(t+1)%3][i][j][k] - u[t%3][i][j][k]
            + v[i][j][k] * (-8.5f * u[(t+1)%3][i][j][k] + 1.6f * FAR(1) - 0.2f * FAR(2)
                            + 0.025f * FAR(3) - 0.0018f * FAR(4));
#pragma endscop
  return u[0][9][9][9] > 0.0f;
}
