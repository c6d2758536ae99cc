/* ghostfields2d: Two fields with ghost cells that mirror their neighbours, filled by a function; each function computes the
 * length of rows, and structs of pointers change places.
 * hexcc-test: args=N,M,T run=1,1,3;1,5,2;2,9,1;3,3,2;5,17,5;9,9,0;64,70,7;130,65,8;33,200,13
 */
#include <stdio.h>
#include <stdlib.h>

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

struct pair {
  float *a, *b;
};

struct box {
  int n, m;
  struct pair old, new;
};

static void mirror(struct box *box, float *x)
{
  int pitch = box->m + 2;

  for (int i = 1; i <= box->n; i++) {
    x[i * pitch] = x[i * pitch + 1];
    x[i * pitch + box->m + 1] = x[i * pitch + box->m];
  }
  for (int j = 0; j < pitch; j++) {
    x[j] = x[pitch + j];
    x[(box->n + 1) * pitch + j] = x[box->n * pitch + j];
  }
}

static void react(struct box *box)
{
  const int pitch = box->m + 2;

  for (int i = 1; i <= box->n; i++)
    for (int j = 1; j <= box->m; j++) {
      int at = i * pitch + j;
      float *a = box->old.a, *b = box->old.b;

      box->new.a[at] = 0.5f * a[at] + 0.125f * (a[at - 1] + a[at + 1] + a[at - pitch] + a[at + pitch]) - 0.0625f * b[at];
      box->new.b[at] = 0.75f * b[at] + 0.0625f * (b[at - 1] + b[at + 1] + b[at - pitch] + b[at + pitch]) + 0.03125f * a[at];
    }
}

int main(int argc, char **argv)
{
  struct box box;
  int T = argc > 3 ? atoi(argv[3]) : 5;

  box.n = argc > 1 ? atoi(argv[1]) : 32;
  box.m = argc > 2 ? atoi(argv[2]) : 32;
  size_t size = sizeof(float) * (box.n + 2) * (box.m + 2);
  box.old.a = malloc(size);
  box.old.b = malloc(size);
  box.new.a = malloc(size);
  box.new.b = malloc(size);
  fill(box.old.a, size);
  fill(box.old.b, size);
  fill(box.new.a, size);
  fill(box.new.b, size);
  for (int t = 0; t < T; t++) {
    mirror(&box, box.old.a);
    mirror(&box, box.old.b);
    react(&box);
    struct pair pair = box.old;
    box.old = box.new;
    box.new = pair;
  }
  add_to_hash(box.old.a, size);
  add_to_hash(box.old.b, size);
  add_to_hash(box.new.a, size);
  add_to_hash(box.new.b, size);
  printf("%016llx\n", hash);
  free(box.old.a);
  free(box.old.b);
  free(box.new.a);
  free(box.new.b);
  return 0;
}
