/* fdtd2d: 2D finite-difference time domain: three fields of unequal extent updated in place, and a
 * boundary nest of lower depth (CGO'14, section 3.2).
 * hexcc-test: args=NX,NY,T run=1,1,3;2,5,1;3,3,2;5,40,5;40,6,3;17,9,0;16,33,7;48,31,8;64,90,9;37,70,16;70,90,17 bench=8192,8192,512 tile=h=3,w=2:8;h=7,w=1:16 variants=--copy-out=separate;--copy-out=interleaved;--full-tiles=off;--copy-out=separate,--reuse=none,--aligned-loads=off;--reuse=static;--rows-per-thread=2 stream=steps=4,vector=1;steps=3,vector=2
 */
#include <stdio.h>
#include <stdlib.h>

static void fdtd2d(int NX, int NY, int T, float ex[NX][NY+1], float ey[NX+1][NY],
                   float hz[NX][NY], float fict[T+1])
{
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int j = 0; j < NY; j++)
      ey[0][j] = fict[t];
    for (int i = 1; i < NX; i++)
      for (int j = 0; j < NY; j++)
        ey[i][j] = ey[i][j] - 0.5f * (hz[i][j] - hz[i-1][j]);
    for (int i = 0; i < NX; i++)
      for (int j = 1; j < NY; j++)
        ex[i][j] = ex[i][j] - 0.5f * (hz[i][j] - hz[i][j-1]);
    for (int i = 0; i < NX; i++)
      for (int j = 0; j < NY; j++)
        hz[i][j] = hz[i][j] - 0.7f * (ex[i][j+1] - ex[i][j]
                                      + ey[i+1][j] - ey[i][j]);
  }
#pragma endscop
}

static void fill(void *data, size_t size)
{
  static unsigned state = 1;
  float *x = (float *)data;

  for (size_t i = 0; i < size / sizeof *x; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = ((state >> 8) | 1) / 16777216.0f;
  }
}

static unsigned long long hash = 14695981039346656037ull;

static void add_to_hash(const void *data, size_t size)
{
  const unsigned char *byte = (const unsigned char *)data;

  for (size_t i = 0; i < size; i++)
    hash = (hash ^ byte[i]) * 1099511628211ull;
}

int main(int argc, char **argv)
{
  int NX = argc > 1 ? atoi(argv[1]) : 64;
  int NY = argc > 2 ? atoi(argv[2]) : 80;
  int T = argc > 3 ? atoi(argv[3]) : 20;
  size_t ex_size = sizeof(float[NX][NY + 1]);
  size_t ey_size = sizeof(float[NX + 1][NY]);
  size_t hz_size = sizeof(float[NX][NY]);
  size_t fict_size = sizeof(float[T + 1]);
  float (*ex)[NY + 1] = (float (*)[NY + 1])malloc(ex_size);
  float (*ey)[NY] = (float (*)[NY])malloc(ey_size);
  float (*hz)[NY] = (float (*)[NY])malloc(hz_size);
  float *fict = (float *)malloc(fict_size);

  fill(ex, ex_size);
  fill(ey, ey_size);
  fill(hz, hz_size);
  fill(fict, fict_size);
  fdtd2d(NX, NY, T, ex, ey, hz, fict);
  add_to_hash(ex, ex_size);
  add_to_hash(ey, ey_size);
  add_to_hash(hz, hz_size);
  add_to_hash(fict, fict_size);
  printf("%016llx\n", hash);
  free(ex);
  free(ey);
  free(hz);
  free(fict);
  return 0;
}
