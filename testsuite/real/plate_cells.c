/* A plate as a program for a GPU has it: one loop over all cells, whose row and column are a quotient and a remainder. */
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  int width, height;
  float *now, *next;
} Plate;

static void update(Plate *plate, float k)
{
  for (int cell = 0; cell < plate->height * plate->width; cell++) {
    int y = cell / plate->width;
    int x = cell % plate->width;
    if (y == 0 || y == plate->height - 1 || x == 0 || x == plate->width - 1)
      plate->next[cell] = plate->now[cell];
    else
      plate->next[cell] = plate->now[cell] + k * (plate->now[cell - 1] + plate->now[cell + 1] + plate->now[cell - plate->width] + plate->now[cell + plate->width] - 4.0f * plate->now[cell]);
  }
}

static void swap(Plate *plate)
{
  float *held = plate->now;

  plate->now = plate->next;
  plate->next = held;
}

int main(void)
{
  Plate plate = { 70, 50, NULL, NULL };
  int n = plate.width * plate.height;
  double sum = 0;

  plate.now = malloc(n * sizeof(float));
  plate.next = malloc(n * sizeof(float));
  for (int i = 0; i < n; i++)
    plate.now[i] = (float)(i * 31 % 17);
  for (int step = 0; step < 60; step++) {
    update(&plate, 0.2f);
    swap(&plate);
  }
  for (int i = 0; i < n; i++)
    sum += plate.now[i] * (i % 7);
  printf("%.15g\n", sum);
  free(plate.now);
  free(plate.next);
  return 0;
}
