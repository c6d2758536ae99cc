// Median filter, 3x3, by sorting the window; repeated until clean enough.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void sort_window(uint8_t *w, int n)
{
  for (int i = 1; i < n; ++i) {
    uint8_t key = w[i];
    int j = i - 1;
    while (j >= 0 && w[j] > key) {
      w[j + 1] = w[j];
      --j;
    }
    w[j + 1] = key;
  }
}

void median_filter(uint8_t *out, const uint8_t *in, size_t w, size_t h)
{
  for (size_t y = 1; y + 1 < h; ++y)
    for (size_t x = 1; x + 1 < w; ++x) {
      uint8_t window[9];
      int k = 0;
      for (size_t yy = y - 1; yy <= y + 1; ++yy)
        for (size_t xx = x - 1; xx <= x + 1; ++xx)
          window[k++] = in[yy * w + xx];
      sort_window(window, 9);
      out[y * w + x] = window[4];
    }
}

int main(int argc, char **argv)
{
  size_t w = 64, h = 48;
  int rounds = argc > 1 ? atoi(argv[1]) : 3;
  uint8_t *img = malloc(w * h), *res = malloc(w * h);
  uint32_t state = 2463534242u;

  if (img == NULL || res == NULL) {
    fprintf(stderr, "out of memory\n");
    return 1;
  }
  for (size_t i = 0; i < w * h; ++i) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    img[i] = state % 10 == 0 ? 255 : state % 10 == 1 ? 0 : (uint8_t)(100 + i % w);
  }
  memcpy(res, img, w * h);

  for (int r = 0; r < rounds; ++r) {
    median_filter(res, img, w, h);
    int changed = 0;
    for (size_t i = 0; i < w * h; ++i)
      changed += res[i] != img[i];
    printf("round %d: %d pixels changed\n", r + 1, changed);
    memcpy(img, res, w * h);
    if (!changed)
      break;
  }

  unsigned long sum = 0;
  for (size_t i = 0; i < w * h; ++i)
    sum += img[i] * (i % 31);
  printf("sum %lu\n", sum);
  free(img);
  free(res);
  return 0;
}
