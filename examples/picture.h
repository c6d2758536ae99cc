/* Writes numbers as a PNG file of at most 256 colours. No library is needed; C and C++ compile it. */
#ifndef PICTURE_H
#define PICTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Colours from low to high values. */
#define FIRE "000004 1d1147 51127c 832681 b73779 e75263 fc8961 fec488 fcfdbf"
#define LEAF "060d1e 12344d 146b6b 2f9e6e 8ccf5d e9ee8b fffbe0"
#define SEA "041029 0b3c5d 1c7293 43a6b5 a8dadc f1faee"
#define SHORE "c9ad6a 04101f 0a2f4f 14618a 2f9fb8 8fd9d6 f4fbf0"
#define WAVE "7de3ff 1d8fe0 123f8c 0a1230 05060f 300d1f 8c1d2c e8622c ffe08a"
#define FLOW "5b0f1e b22a2a ec7b4d fbd9b5 f7f4ef b9d9ea 5a9fd0 22609f 0c2550"
#define NIGHT "05070f 10254a 1d5a80 38a3a5 c7f9cc fffff0"

typedef struct {
  unsigned char *data;
  size_t size, room;
  unsigned bits, n_bits; /* what is not a whole byte yet */
} picture_bytes;

static void picture_byte(picture_bytes *to, unsigned byte)
{
  if (to->size == to->room) {
    to->room = 2 * to->room + 4096;
    to->data = (unsigned char *)realloc(to->data, to->room);
    if (!to->data)
      exit(1);
  }
  to->data[to->size++] = (unsigned char)byte;
}

/* The bits of `value`, the lowest first. */
static void picture_bits(picture_bytes *to, unsigned value, int n)
{
  to->bits |= value << to->n_bits;
  for (to->n_bits += n; to->n_bits >= 8; to->n_bits -= 8) {
    picture_byte(to, to->bits & 255);
    to->bits >>= 8;
  }
}

/* The bits of a Huffman code, the highest first. */
static void picture_code(picture_bytes *to, unsigned code, int n)
{
  while (n-- > 0)
    picture_bits(to, code >> n & 1, 1);
}

/* A byte, the end (256) or a length (257 to 285) in deflate's fixed code. */
static void picture_symbol(picture_bytes *to, int s)
{
  if (s < 144)
    picture_code(to, 48 + s, 8);
  else if (s < 256)
    picture_code(to, 400 + s - 144, 9);
  else if (s < 280)
    picture_code(to, s - 256, 7);
  else
    picture_code(to, 192 + s - 280, 8);
}

/* "The `length` bytes that stand `distance` bytes before", 3 <= length <= 257. */
static void picture_copy(picture_bytes *to, int length, int distance)
{
  int n = 0, code = length - 3;

  while (code >= 8 << n)
    n++;
  picture_symbol(to, n ? 257 + 4 * n + (code >> n) : 257 + code);
  picture_bits(to, code & ((1 << n) - 1), n);
  code = distance - 1;
  for (n = 0; code >= 4 << n;)
    n++;
  picture_code(to, 2 * n + (code >> n), 5);
  picture_bits(to, code & ((1 << n) - 1), n);
}

static int picture_match(const unsigned char *a, const unsigned char *b, size_t room)
{
  int n = 0;

  while (n < 257 && (size_t)n < room && a[n] == b[n])
    n++;
  return n;
}

/* zlib's format: repeats of what is among the last places where the same three bytes stood. */
static picture_bytes picture_deflate(const unsigned char *in, size_t size)
{
  enum { PLACES = 4096, TRIES = 16 };
  static long place[PLACES][TRIES];
  picture_bytes out = {0, 0, 0, 0, 0};
  unsigned a = 1, b = 0;

  memset(place, -1, sizeof place);
  picture_byte(&out, 0x78);
  picture_byte(&out, 0x01);
  picture_bits(&out, 3, 3);
  for (size_t i = 0, done = 0; i < size; i++) {
    a = (a + in[i]) % 65521;
    b = (b + a) % 65521;
    if (i + 2 < size) {
      long *p = place[(in[i] * 2654u ^ in[i + 1] * 331u ^ in[i + 2] * 29u) % PLACES];
      int length = 0, distance = 0;

      for (int k = 0; i == done && k < TRIES; k++)
        if (p[k] >= 0 && i - p[k] <= 32768) {
          int n = picture_match(in + p[k], in + i, size - i);

          if (n > length) {
            length = n;
            distance = (int)(i - p[k]);
          }
        }
      memmove(p + 1, p, (TRIES - 1) * sizeof *p);
      p[0] = (long)i;
      if (length > 3 || (length == 3 && distance < 4096)) {
        picture_copy(&out, length, distance);
        done = i + length;
      }
    }
    if (i == done) {
      picture_symbol(&out, in[i]);
      done++;
    }
  }
  picture_symbol(&out, 256);
  picture_bits(&out, 0, 7);
  for (int k = 0; k < 4; k++)
    picture_byte(&out, (k < 2 ? b : a) >> (k % 2 ? 0 : 8) & 255);
  return out;
}

static void picture_chunk(FILE *file, const char *name, const unsigned char *data, size_t size)
{
  unsigned crc = ~0u, numbers[2];

  numbers[0] = (unsigned)size;
  for (size_t i = 0; i < 4 + size; i++) {
    crc ^= i < 4 ? (unsigned char)name[i] : data[i - 4];
    for (int k = 0; k < 8; k++)
      crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
  }
  numbers[1] = ~crc;
  for (int n = 0; n < 2; n++) {
    for (int k = 24; k >= 0; k -= 8)
      fputc(numbers[n] >> k & 255, file);
    if (n == 0) {
      fwrite(name, 1, 4, file);
      fwrite(data, 1, size, file);
    }
  }
}

/* Writes `height` rows of `width` values; `colours` is one of the lists above, `low` has the first colour. */
static void write_picture(const char *name, const float *value, int width, int height, float low, float high,
                          const char *colours)
{
  int n_colours = ((int)strlen(colours) + 1) / 7;
  unsigned char palette[256][3];
  unsigned char head[13] = {0, 0, (unsigned char)(width >> 8), (unsigned char)width,
                            0, 0, (unsigned char)(height >> 8), (unsigned char)height, 8, 3, 0, 0, 0};
  unsigned char *rows = (unsigned char *)malloc((size_t)(width + 1) * height);
  picture_bytes packed;
  FILE *file = fopen(name, "wb");

  if (!file || !rows) {
    perror(name);
    exit(1);
  }
  for (int c = 0; c < 256; c++)
    for (int k = 0; k < 3; k++) {
      int at = c * (n_colours - 1), left = at / 255 < n_colours - 1 ? at / 255 : n_colours - 2;
      long from = strtol(colours + 7 * left, NULL, 16), to = strtol(colours + 7 * (left + 1), NULL, 16);
      int a = from >> (16 - 8 * k) & 255, b = to >> (16 - 8 * k) & 255;

      palette[c][k] = (unsigned char)(a + (b - a) * (at - 255 * left) / 255);
    }
  for (int i = 0; i < height; i++) {
    unsigned char *row = rows + (size_t)i * (width + 1);

    row[0] = 1; /* each byte is written as its difference to the one on its left */
    for (int j = 0, left = 0; j < width; j++) {
      float x = (value[(size_t)i * width + j] - low) / (high - low);
      int c = x <= 0 ? 0 : x >= 1 ? 255 : x > 0 ? (int)(255 * x + 0.5f) : 0;

      row[1 + j] = (unsigned char)(c - left);
      left = c;
    }
  }
  packed = picture_deflate(rows, (size_t)(width + 1) * height);
  fwrite("\x89PNG\r\n\x1a\n", 1, 8, file);
  picture_chunk(file, "IHDR", head, sizeof head);
  picture_chunk(file, "PLTE", palette[0], sizeof palette);
  picture_chunk(file, "IDAT", packed.data, packed.size);
  picture_chunk(file, "IEND", head, 0);
  fclose(file);
  free(packed.data);
  free(rows);
}

#endif
