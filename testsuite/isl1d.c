/* isl1d: Sizes and iterators that are words of isl's notation, and arrays and sizes called as
 * generated code calls its own: the origin of a tile, what is added to the name of another.
 * hexcc-test: args=max,Mod run=1,3;3,1;4,2;6,5;9,10;16,7;40,9;129,16 tile=h=1,w=2;h=3,w=4
 */
#include <stdio.h>
#include <stdlib.h>

static void isl1d(int max, int Mod, float min0[max], float min0_pitch[max])
{
#pragma scop
  for (int or = 0; or < Mod; or++) {
    int min;
    for (min = 1; min < max - 1; min++)
      min0_pitch[min] = 0.5f * (min0[min-1] + min0[min+1]);
    for (min = 1; min < max - 1; min++)
      min0[min] = min0_pitch[min];
  }
#pragma endscop
}

int main(int argc, char **argv)
{
  int max = argc > 1 ? atoi(argv[1]) : 100;
  int Mod = argc > 2 ? atoi(argv[2]) : 10;
  float *min0 = (float *)malloc(sizeof(float[max]));
  float *min0_pitch = (float *)malloc(sizeof(float[max]));
  unsigned state = 1;

  for (int i = 0; i < max; i++) {
    state = state * 1664525u + 1013904223u;
    min0[i] = min0_pitch[i] = ((state >> 8) | 1) / 16777216.0f;
  }
  isl1d(max, Mod, min0, min0_pitch);
  for (int i = 0; i < max; i++)
    printf("%.9g %.9g\n", min0[i], min0_pitch[i]);
  free(min0);
  free(min0_pitch);
  return 0;
}
