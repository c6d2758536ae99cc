/* flatfixed3d: Flat arrays with rows and planes of constant size: a block of memory, arrays of the file, pointers that are swapped.
 * hexcc-test: args=T run=0;1;2;7;12
 */
#include <stdio.h>
#include <stdlib.h>

static void fill(void *data, size_t size)
{
  static unsigned state = 1;
  double *x = (double *)data;

  for (size_t i = 0; i < size / sizeof *x; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = ((state >> 8) | 1) / 16777216.0;
  }
}

static unsigned long long hash = 14695981039346656037ull;

static void add_to_hash(const void *data, size_t size)
{
  const unsigned char *byte = (const unsigned char *)data;

  for (size_t i = 0; i < size; i++)
    hash = (hash ^ byte[i]) * 1099511628211ull;
}

#define NX 40
#define NY 21
#define NZ 19
#define AT(x, y, z) ((x) + NX * ((y) + NY * (z)))

double c[NX * NY];

int main(int argc, char **argv)
{
  int T = argc > 1 ? atoi(argv[1]) : 5;
  size_t plane = NX * NY * sizeof(double), size = NZ * plane;
  double *u = malloc(size), *v = malloc(size), *p = malloc(plane), *q = malloc(plane);

  fill(u, size);
  fill(v, size);
  fill(p, plane);
  fill(q, plane);
  fill(c, sizeof c);
  for (int t = 0; t < T; t++) {
    for (int z = 1; z < NZ - 1; z++)
      for (int y = 1; y < NY - 1; y++)
        for (int x = 1; x < NX - 1; x++) {
          if (x % 3 == 4)
            u[AT(x, y, z)] = v[AT(x, y, z)];
          v[AT(x, y, z)] = 0.1 * (u[AT(x, y, z)] + u[AT(x - 1, y, z)] + u[AT(x + 1, y, z)] + u[AT(x, y - 1, z)]
                                  + u[AT(x, y + 1, z)] + u[AT(x, y, z - 1)] + u[AT(x, y, z + 1)]);
        }
    for (int z = 1; z < NZ - 1; z++)
      for (int y = 1; y < NY - 1; y++)
        for (int x = 1; x < NX - 1; x++)
          u[AT(x, y, z)] = v[AT(x, y, z)];
  }
  for (int t = 0; t < T; t++) {
    for (unsigned y = 1; y < NY - 1; y++)
      for (unsigned x = 1; x < NX - 1; x++)
        q[x + y * NX] = c[x + y * NX] * (p[x - 1 + y * NX] + p[x + 1 + y * NX] + p[x + (y - 1) * NX] + p[x + (y + 1) * NX]);
    double *r = p;
    p = q;
    q = r;
  }
  add_to_hash(u, size);
  add_to_hash(v, size);
  add_to_hash(p, plane);
  add_to_hash(q, plane);
  printf("%016llx\n", hash);
  return 0;
}
