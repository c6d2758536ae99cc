/* innercalls1d: Functions that call functions, several in a statement: what each returns is its own.
 * hexcc-test: args=T run=1;5 warns=HX0107
 */
#include <stdio.h>
#include <math.h>
#include <stdlib.h>
static double half(double a) { return 0.5 * a; }
static double two(double a, double b)
{
    double r;
    r = a + half(b);
    return r * half(a);
}
static void put(double *out, int i, double v, double w) { double x = two(v, w); out[i] = x - two(w, v); }
void diffuse(const double *in, double *out, int h)
{
    for (int i = 1; i < h - 1; i++)
        out[i] = two(in[i] - in[i-1], two(in[i+1], in[i])) - half(two(1.0, in[i])) * two(in[i+1], 2.0);
    for (int i = 2; i < h - 2; i++)
        put(out, i, two(in[i], 1.0) + half(out[i]), two(half(in[i-1]), 3.0));
}
int main(int argc, char **argv)
{
  int steps = argc > 1 ? atoi(argv[1]) : 3;
  double a[100], b[100] = {0};

  for (int i = 0; i < 100; i++) a[i] = i % 7 * 0.3;
  for (int t = 0; t < steps; t++) { diffuse(a, b, 100); printf("%.17g %.17g\n", b[50], b[61]); }
  return 0;
}
