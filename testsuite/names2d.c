/* names2d: Names that C++ and CUDA use for something else, and parameters that macros declare.
 * hexcc-test: args=N,T run=1,3;2,1;4,5;9,0;16,7;33,8;48,9;70,12 tile=h=1,w=2:8;h=3,w=4:8 stream=steps=4,vector=1
 */
#define N 256L
#define I 3
#define T 100
#define h(x) nothing of
#define args this
#define run(a) (a)
# define tile \
  wrong (
#include <stdio.h>
#include <stdlib.h>
#undef N
#undef T
#define GRID(A) float A[n][n]
#define ARRAY_2D(A, rows, columns) A[rows][columns]

typedef enum { false, true } bool;
typedef struct { int operator, friend; } float2;
struct class { float2 this; };

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

static int min(int a, int b) { return a < b ? a : b; }
static int max(int a, int b) { return a > b ? a : b; }

static void names2d(int n, int new, GRID(delete), float ARRAY_2D(template, n, n))
{
#pragma scop
  for (int t = 0; t < new; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        template[i][j] = 0.25f * (delete[i+1][j] + delete[i-1][j] + delete[i][j+1] + delete[i][j-1]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        delete[i][j] = template[i][j];
  }
#pragma endscop
}

int main(int argc, char **argv)
{
  struct class private = {{ argc > 1 ? atoi(argv[1]) : 64, argc > 2 ? atoi(argv[2]) : 20 }};
  int n = max(private.this.operator, 1);
  size_t size = sizeof(float[n][n]);
  float (*try)[n] = malloc(size), (*catch)[n] = malloc(size);
  bool done = false;

  fill(try, size);
  fill(catch, size);
  while (!done) {
    names2d(n, min(private.this.friend, 1000), try, catch);
    done = true;
  }
  add_to_hash(try, size);
  add_to_hash(catch, size);
  printf("%016llx\n", hash);
  free(try);
  free(catch);
  return 0;
}
