/* guarded2d: Stores under conditions on data to arrays of which nothing says that the elements exist otherwise.
 * hexcc-test: args=T run=0;1;6 warns=HX0107
 *
 * What conditions change is looked at before; quotients, temporaries, loops and `else if` under them; `beside` ends
 * where the mask does, and another array follows it.
 */
#include <stdio.h>
#include <stdlib.h>

static double hash(int n, const double *a)
{
  double h = 0;

  for (int i = 0; i < n; i++)
    h = h * 0.999 + a[i] * (i % 7 + 1);
  return h;
}

/* The second statement reads what the first has changed; the condition is from before. */
static void flip(int n, int m, int *mask, double *a, double *b, int *q, unsigned char *u, const double *far)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      if (mask[i * m + j] > 0) {
        a[i * m + j] = -a[i * m + j];
        b[i * m + j] = a[i * m + j] + i;
      }
      if (b[i * m + j] > 3.0)
        u[i * m + j] += 200;
      else if (b[i * m + j] < -2.0) {
        double d = far[i * m + j], e;
        int r = q[i * m + j] / mask[i * m + j];
        e = d * 2;
        for (int k = 0; k < 3; k++)
          e += far[i * m + j] * k;
        q[i * m + j] = r % 17 + 3;
        a[i * m + j] = d + e;
      } else if (a[i * m + j])
        a[i * m + j] += 0.5;
    }
}

/* C touches `beside` only where the mask says that it is there. */
static void bounded(int n, const int *there, const double *b, double *beside, const double *shift)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double more = shift[0];

      if (there[i * n + j])
        beside[i * n + j] = b[i * n + j] + more;
    }
}

/* Several types; names that shadow others. */
static void shadow(int n, const float *f, short *s, unsigned *u, long *l)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int d = 3;

      if (f[i * n + j]) {
        float d = f[i * n + j] * 2;
        if (d > 5.5) {
          long d = l[i * n + j];
          l[i * n + j] = d + 7;
          s[i * n + j] -= 30000;
        } else {
          unsigned d = u[i * n + j];
          if (d - 5 > 100u)
            u[i * n + j] = d / 3;
          else
            s[i * n + j] = d;
        }
        d += 1;
        u[i * n + j] += d;
      } else if (!(l[i * n + j] & 3))
        l[i * n + j] += d;
      s[i * n + j] += d;
    }
}

int main(int argc, char **argv)
{
  int n = 90, m = 110, steps = argc > 1 ? atoi(argv[1]) : 6, half = n / 2;
  int *mask = malloc(sizeof(int) * n * m), *q = malloc(sizeof(int) * n * m), *there = malloc(sizeof(int) * n * n);
  double *a = malloc(sizeof(double) * n * m), *b = malloc(sizeof(double) * n * m), *far = malloc(sizeof(double) * n * m);
  double *block = malloc(sizeof(double) * n * (n + half)), *beside = block, *behind = block + n * half;
  double shift[1] = { 1 }, *small = malloc(sizeof(double) * n * half);
  unsigned char *u = calloc(n * m, 1);
  float *f = malloc(sizeof(float) * n * n);
  short *s = malloc(sizeof(short) * n * n);
  unsigned *v = malloc(sizeof(unsigned) * n * n);
  long *l = malloc(sizeof(long) * n * n), h = 0;

  for (int i = 0; i < n * m; i++) {
    mask[i] = i % 5 == 1 ? 0 : i % 5 - 1;
    a[i] = (i * 37 % 101) * 0.25 - 9;
    b[i] = mask[i] == 0 ? 0 : (i * 11 % 23) * 0.5 - 3;
    q[i] = i * 3;
    far[i] = i * 0.001;
  }
  for (int i = 0; i < n * n; i++) {
    there[i] = i < n * half && i % 3;
    f[i] = i % 7 ? (i % 13) * 0.5f : 0;
    s[i] = i;
    v[i] = i % 120;
    l[i] = i * 3;
  }
  for (int i = 0; i < n * (n + half); i++)
    block[i] = i * 0.5;
  for (int i = 0; i < n * half; i++)
    small[i] = -1;

  for (int t = 0; t < steps; t++) {
    flip(n, m, mask, a, b, q, u, far);
    bounded(n, there, far, small, shift);
    bounded(n, there, behind, beside, shift);
    shadow(n, f, s, v, l);
    printf("%d %.12g %.12g %.12g\n", t, hash(n * m, a), hash(n * half, small), hash(n * half, beside));
    for (int i = 0; i < n * m; i++)
      if (mask[i] == 0 && b[i] < -2)
        b[i] = 1;
  }
  for (int i = 0; i < n * m; i++)
    h = (h * 31 + q[i] + u[i]) % 1000003;
  for (int i = 0; i < n * n; i++)
    h = (h * 31 + s[i] + v[i] + l[i]) % 1000003;
  printf("%.12g %.12g %.12g %ld\n", hash(n * m, a), hash(n * m, b), hash(n * half, beside), h);
  free(mask), free(q), free(there), free(a), free(b), free(far), free(block), free(small);
  free(u), free(f), free(s), free(v), free(l);
  return 0;
}
