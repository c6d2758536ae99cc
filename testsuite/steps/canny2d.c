/* canny2d: Canny's edges: nests one after the other without marks are one region, with a kernel each.
 * hexcc-test: args=h,w run=64,70;33,40;8,9;5,200 warns=HX0201
 */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

static void canny(int h, int w, float in[h][w], float smooth[h][w], float gx[h][w], float gy[h][w],
                  float mag[h][w], unsigned char dir[h][w], float thin[h][w], unsigned char out[h][w])
{
  /* Gauss, 5 x 5 */
  for (int i = 2; i < h - 2; i++)
    for (int j = 2; j < w - 2; j++)
      smooth[i][j] = (2 * in[i-2][j-2] + 4 * in[i-2][j-1] + 5 * in[i-2][j] + 4 * in[i-2][j+1] + 2 * in[i-2][j+2]
                    + 4 * in[i-1][j-2] + 9 * in[i-1][j-1] + 12 * in[i-1][j] + 9 * in[i-1][j+1] + 4 * in[i-1][j+2]
                    + 5 * in[i][j-2] + 12 * in[i][j-1] + 15 * in[i][j] + 12 * in[i][j+1] + 5 * in[i][j+2]
                    + 4 * in[i+1][j-2] + 9 * in[i+1][j-1] + 12 * in[i+1][j] + 9 * in[i+1][j+1] + 4 * in[i+1][j+2]
                    + 2 * in[i+2][j-2] + 4 * in[i+2][j-1] + 5 * in[i+2][j] + 4 * in[i+2][j+1] + 2 * in[i+2][j+2]) / 159.0f;
  /* Sobel */
  for (int i = 3; i < h - 3; i++)
    for (int j = 3; j < w - 3; j++) {
      gx[i][j] = smooth[i-1][j+1] + 2 * smooth[i][j+1] + smooth[i+1][j+1] - smooth[i-1][j-1] - 2 * smooth[i][j-1] - smooth[i+1][j-1];
      gy[i][j] = smooth[i+1][j-1] + 2 * smooth[i+1][j] + smooth[i+1][j+1] - smooth[i-1][j-1] - 2 * smooth[i-1][j] - smooth[i-1][j+1];
      mag[i][j] = sqrtf(gx[i][j] * gx[i][j] + gy[i][j] * gy[i][j]);
      float ax = fabsf(gx[i][j]), ay = fabsf(gy[i][j]);
      dir[i][j] = ay < 0.41421356f * ax ? 0 : ay > 2.41421356f * ax ? 2 : gx[i][j] * gy[i][j] > 0 ? 1 : 3;
    }
  /* Non-maximum suppression */
  for (int i = 4; i < h - 4; i++)
    for (int j = 4; j < w - 4; j++) {
      float a = dir[i][j] == 0 ? mag[i][j-1] : dir[i][j] == 1 ? mag[i-1][j-1] : dir[i][j] == 2 ? mag[i-1][j] : mag[i-1][j+1];
      float b = dir[i][j] == 0 ? mag[i][j+1] : dir[i][j] == 1 ? mag[i+1][j+1] : dir[i][j] == 2 ? mag[i+1][j] : mag[i+1][j-1];
      thin[i][j] = mag[i][j] >= a && mag[i][j] >= b ? mag[i][j] : 0;
    }
  /* Thresholds */
  for (int i = 4; i < h - 4; i++)
    for (int j = 4; j < w - 4; j++)
      out[i][j] = thin[i][j] > 0.3f ? 255 : thin[i][j] > 0.1f ? 128 : 0;
}

int main(int argc, char **argv)
{
  int h = argc > 1 ? atoi(argv[1]) : 64, w = argc > 2 ? atoi(argv[2]) : 70;
  size_t n = (size_t)h * w;
  float *in = malloc(n * 4), *smooth = calloc(n, 4), *gx = calloc(n, 4), *gy = calloc(n, 4), *mag = calloc(n, 4), *thin = calloc(n, 4);
  unsigned char *dir = calloc(n, 1), *out = calloc(n, 1);
  unsigned s = 1;
  for (size_t i = 0; i < n; i++) { s = s * 1664525u + 1013904223u; in[i] = (s >> 8) / 16777216.0f; }
  canny(h, w, (void *)in, (void *)smooth, (void *)gx, (void *)gy, (void *)mag, (void *)dir, (void *)thin, (void *)out);
  size_t edges = 0;
  for (size_t i = 0; i < n; i++) edges += out[i] > 0;
  printf("%zu\n", edges);
  free(in); free(smooth); free(gx); free(gy); free(mag); free(thin); free(dir); free(out);
  return 0;
}
