/* Star stencil of any radius with a table of weights; the input grows by a constant in each iteration.
   Usage: star_weights <iterations> <order of the matrix>                                             */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#ifndef RADIUS
#define RADIUS 2
#endif

#define DTYPE double
#define ABS(x) ((x) > 0 ? (x) : (-(x)))
#define IN(i, j)      in[i + (j) * (n)]
#define OUT(i, j)     out[i + (j) * (n)]
#define WEIGHT(ii, jj) weight[ii + RADIUS][jj + RADIUS]

static double wtime(void)
{
  struct timeval t;
  gettimeofday(&t, NULL);
  return t.tv_sec + 1.0e-6 * t.tv_usec;
}

int main(int argc, char **argv)
{
  long n = 64;
  int i, j, ii, jj, iter, iterations = 10;
  DTYPE norm = 0.0, reference;
  DTYPE *in, *out, weight[2 * RADIUS + 1][2 * RADIUS + 1];
  double stencil_time = 0.0, f_active;

  if (argc == 3) {
    iterations = atoi(argv[1]);
    n = atol(argv[2]);
  }
  if (iterations < 1 || n < 2 * RADIUS + 1) {
    printf("ERROR: iterations %d, n %ld\n", iterations, n);
    exit(EXIT_FAILURE);
  }
  in = (DTYPE *)malloc(n * n * sizeof(DTYPE));
  out = (DTYPE *)malloc(n * n * sizeof(DTYPE));
  if (!in || !out) {
    printf("ERROR: could not allocate space\n");
    exit(EXIT_FAILURE);
  }

  for (jj = -RADIUS; jj <= RADIUS; jj++)
    for (ii = -RADIUS; ii <= RADIUS; ii++)
      WEIGHT(ii, jj) = (DTYPE)0.0;
  for (ii = 1; ii <= RADIUS; ii++) {
    WEIGHT(0, ii) = WEIGHT(ii, 0) = (DTYPE)(1.0 / (2.0 * ii * RADIUS));
    WEIGHT(0, -ii) = WEIGHT(-ii, 0) = -(DTYPE)(1.0 / (2.0 * ii * RADIUS));
  }
  f_active = (double)(n - 2 * RADIUS) * (double)(n - 2 * RADIUS);
  printf("Grid size            = %ld\n", n);
  printf("Radius of stencil    = %d\n", RADIUS);
  printf("Number of iterations = %d\n", iterations);

  for (j = 0; j < n; j++)
    for (i = 0; i < n; i++)
      IN(i, j) = 1.0 * i + 1.0 * j;
  for (j = RADIUS; j < n - RADIUS; j++)
    for (i = RADIUS; i < n - RADIUS; i++)
      OUT(i, j) = 0.0;

  for (iter = 0; iter <= iterations; iter++) {
    /* start timer after a warm-up iteration */
    if (iter == 1)
      stencil_time = wtime();

    for (j = RADIUS; j < n - RADIUS; j++) {
      for (i = RADIUS; i < n - RADIUS; i++) {
        for (jj = -RADIUS; jj <= RADIUS; jj++)
          OUT(i, j) += WEIGHT(0, jj) * IN(i, j + jj);
        for (ii = -RADIUS; ii < 0; ii++)
          OUT(i, j) += WEIGHT(ii, 0) * IN(i + ii, j);
        for (ii = 1; ii <= RADIUS; ii++)
          OUT(i, j) += WEIGHT(ii, 0) * IN(i + ii, j);
      }
    }

    /* add constant to solution to force refresh of neighbour data */
    for (j = 0; j < n; j++)
      for (i = 0; i < n; i++)
        IN(i, j) += 1.0;
  }
  stencil_time = wtime() - stencil_time;

  for (j = RADIUS; j < n - RADIUS; j++)
    for (i = RADIUS; i < n - RADIUS; i++)
      norm += (DTYPE)ABS(OUT(i, j));
  norm /= f_active;
  reference = (DTYPE)(iterations + 1) * 2.0;
  fprintf(stderr, "Avg time (s): %lf\n", stencil_time / iterations);
  if (ABS(norm - reference) > 1e-8) {
    printf("ERROR: L1 norm = %f, reference = %f\n", norm, reference);
    exit(EXIT_FAILURE);
  }
  printf("Solution validates: %.12f\n", norm);
  free(in);
  free(out);
  return 0;
}
