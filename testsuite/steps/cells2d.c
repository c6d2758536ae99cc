/* cells2d: An array of structs with members of several types, a struct in the struct and an array in it; the time loop as one region.
 * hexcc-test: args=N,M,T run=3,3,0;4,3,2;40,23,5;65,70,3 warns=HX0209
 */
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  char kind;
  float ex, ey;
  double hz;
  int tags[2][3];
  struct {
    float x, y;
  } vel;
} Cell;

static Cell cells[70][80];

int main(int argc, char **argv)
{
  int N = argc > 1 ? atoi(argv[1]) : 40;
  int M = argc > 2 ? atoi(argv[2]) : 23;
  int T = argc > 3 ? atoi(argv[3]) : 5;
  unsigned long long hash = 0;

  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) {
      cells[i][j].kind = (char)(i * 7 + j);
      cells[i][j].ex = 0.5f * (float)i;
      cells[i][j].ey = (float)j;
      cells[i][j].hz = (i * 7 + j * 3) % 11;
      for (int k = 0; k < 6; k++)
        cells[i][j].tags[k / 3][k % 3] = i + j * k;
      cells[i][j].vel.x = 1.0f;
      cells[i][j].vel.y = 0.25f;
    }

  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < M - 1; j++) {
        cells[i][j].ex += 0.1 * (cells[i][j].hz - cells[i - 1][j].hz) * cells[i][j].vel.x;
        for (int k = 0; k < 3; k++)
          cells[i][j].tags[1][k] += cells[i][j].tags[0][2 - k] % 5;
        cells[i][j].kind += 3;
      }
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < M - 1; j++) {
        cells[i][j].hz += 0.2f * (cells[i + 1][j].ex - cells[i][j].ex) + cells[i][j].tags[1][2] + cells[i][j].kind;
        cells[i][j].vel.y = cells[i][j - 1].ey * 0.5f;
      }
  }

  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) {
      hash = hash * 31 + (unsigned long long)(long long)(cells[i][j].ex * 1024 + cells[i][j].hz * 64);
      hash = hash * 31 + (unsigned long long)(long long)(cells[i][j].vel.y * 16 + cells[i][j].tags[1][1] + cells[i][j].kind);
    }
  printf("hash %llx\n", hash);
  return 0;
}
