/* Laplace with size_t sizes and a VLA pointer; stops on the relative change. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static double sweep(size_t rows, size_t cols, double (*restrict new)[cols], double (*restrict old)[cols])
{
  double biggest = 0.0;

  for (size_t r = 1; r < rows - 1; ++r) {
    for (size_t c = 1; c < cols - 1; ++c) {
      new[r][c] = (old[r - 1][c] + old[r + 1][c] + old[r][c - 1] + old[r][c + 1]) / 4;
      double d = fabs(new[r][c] - old[r][c]);
      if (d > biggest)
        biggest = d;
    }
  }
  return biggest;
}

int main(int argc, char *argv[])
{
  size_t rows = 50, cols = 70;
  unsigned max_iter = 150;
  const double eps = 1e-4;

  if (argc > 1) rows = strtoul(argv[1], NULL, 10);
  if (argc > 2) cols = strtoul(argv[2], NULL, 10);
  if (argc > 3) max_iter = (unsigned)strtoul(argv[3], NULL, 10);
  if (rows < 3 || cols < 3) {
    fprintf(stderr, "%s [rows [cols [iterations]]], both at least 3\n", argv[0]);
    return EXIT_FAILURE;
  }

  double (*a)[cols] = malloc(sizeof(double[rows][cols]));
  double (*b)[cols] = malloc(sizeof(double[rows][cols]));
  if (a == NULL || b == NULL) {
    perror("malloc");
    free(a);
    free(b);
    return EXIT_FAILURE;
  }
  for (size_t r = 0; r < rows; ++r)
    for (size_t c = 0; c < cols; ++c)
      a[r][c] = b[r][c] = r == 0 ? 1.0 : c == 0 ? 0.5 : 0.0;

  unsigned iter = 0;
  double change = INFINITY;
  while (change > eps && iter < max_iter) {
    change = sweep(rows, cols, b, a);
    double (*t)[cols] = a;
    a = b;
    b = t;
    iter++;
  }

  printf("%u iterations, last change %.12e\n", iter, change);
  for (size_t r = 0; r < rows; r += rows / 5)
    printf("%zu: %.12f\n", r, a[r][cols / 2]);
  free(a);
  free(b);
  return EXIT_SUCCESS;
}
