/* fivecells2d: A median of five, of an array that is declared outside of the loops, sorted by a function on pointers
 * into it.
 * hexcc-test: args=w,h,T run=8,7,1;2,2,1;40,33,3 warns=HX0105
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void order(unsigned char *a, unsigned char *b)
{
  if (*a > *b) {
    unsigned char c = *a;
    *a = *b;
    *b = c;
  }
}

static unsigned char median(unsigned char v[5])
{
  order(v + 3, v + 4);
  order(v + 2, v + 3);
  order(v + 1, v + 2);
  order(v, v + 1);
  order(v + 3, v + 4);
  order(v + 2, v + 3);
  order(v + 1, v + 2);
  order(v + 3, v + 4);
  order(v + 2, v + 3);
  return v[2];
}

static unsigned char in[4096], out[4096];

void fivecells2d(int w, int h)
{
  unsigned char v[5];

  for (int i = 1; i < h - 1; i++)
    for (int j = 1; j < w - 1; j++) {
      const int c = i * w + j;
      v[0] = in[c];
      v[1] = in[c - 1];
      v[2] = in[c + 1];
      v[3] = in[c - w];
      v[4] = in[c + w];
      out[c] = median(v);
    }
}

int main(int argc, char **argv)
{
  int w = argc > 1 ? atoi(argv[1]) : 20, h = argc > 2 ? atoi(argv[2]) : 15, T = argc > 3 ? atoi(argv[3]) : 2;
  unsigned long sum = 0;

  for (int i = 0; i < w * h; i++)
    in[i] = (i * 37 + i / 7 * 11) % 251;
  memcpy(out, in, w * h);
  for (int t = 0; t < T; t++) {
    fivecells2d(w, h);
    memcpy(in, out, w * h);
  }
  for (int i = 0; i < w * h; i++)
    sum = sum * 31 + in[i];
  printf("%lu\n", sum);
  return 0;
}
