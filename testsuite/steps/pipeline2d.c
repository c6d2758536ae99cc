/* pipeline2d: stages of a filter with memory between them that nothing else sees: it is the device's alone. What `border` has
 * around what is written in it is read, so that it is copied.
 * hexcc-test: args=h,w run=64,70;33,40;8,9;5,200 warns=HX0201
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void edges(int h, int w, float in[h][w], unsigned char out[h][w])
{
  float (*smooth)[w] = calloc(1, sizeof(float[h][w])), (*size)[w];
  float (*slope)[w] = calloc(h * w, sizeof **slope);
  float (*border)[w] = (float (*)[w])calloc(h, sizeof *border);

  size = (float (*)[w])calloc(h, sizeof *size);
  if (!smooth || size == NULL || !border || !slope)
    exit(1);
  for (int i = 1; i < h - 1; i++)
    for (int j = 1; j < w - 1; j++)
      smooth[i][j] = 0.25f * in[i][j] + 0.125f * (in[i - 1][j] + in[i + 1][j] + in[i][j - 1] + in[i][j + 1]);
  for (int i = 2; i < h - 2; i++)
    for (int j = 2; j < w - 2; j++)
      slope[i][j] = smooth[i][j + 1] - smooth[i][j - 1];
  for (int i = 2; i < h - 2; i++)
    for (int j = 2; j < w - 2; j++)
      size[i][j] = sqrtf(slope[i][j] * slope[i][j] + (smooth[i + 1][j] - smooth[i - 1][j]) * (smooth[i + 1][j] - smooth[i - 1][j]));
  for (int i = 3; i < h - 3; i++)
    for (int j = 3; j < w - 3; j++)
      border[i][j] = size[i][j] >= size[i][j - 1] && size[i][j] >= size[i][j + 1] ? size[i][j] : 0.0f;
  for (int i = 3; i < h - 3; i++)
    for (int j = 3; j < w - 3; j++)
      out[i][j] = border[i][j] > 0.1f || border[i][j - 1] > 0.2f ? 255 : 0;
  free(smooth);
  free(border), free(size), free(slope);
}

int main(int argc, char **argv)
{
  int h = argc > 1 ? atoi(argv[1]) : 64, w = argc > 2 ? atoi(argv[2]) : 70;
  float (*in)[w] = malloc(sizeof(float[h][w]));
  unsigned char (*out)[w] = calloc(h, w);
  unsigned s = 1, found = 0;

  for (int i = 0; i < h; i++)
    for (int j = 0; j < w; j++)
      s = s * 1664525u + 1013904223u, in[i][j] = (s >> 8) / 16777216.0f;
  edges(h, w, in, out);
  for (int i = 0; i < h; i++)
    for (int j = 0; j < w; j++)
      found = found * 31 + out[i][j];
  printf("%08x\n", found);
  free(in), free(out);
  return 0;
}
