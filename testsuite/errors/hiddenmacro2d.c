/* hiddenmacro2d: A local variable hides the global that a called function uses, and a macro prints the local one.
 * hexcc-test: expect=HX0120
 */
#include <stdio.h>

#define SHOW printf("%g\n", scale)

static double scale = 0.25, u[50][50], v[50][50];

static double scaled(double x) { return scale * x; }

int main(void)
{
  double scale = 0.5;  // here

  for (int t = 0; t < 10; t++) {
    for (int i = 1; i < 49; i++)
      for (int j = 1; j < 49; j++)
        v[i][j] = scale * scaled(u[i-1][j] + u[i+1][j]);
    for (int i = 1; i < 49; i++)
      for (int j = 1; j < 49; j++)
        u[i][j] = v[i][j];
  }
  SHOW;
  return 0;
}

/* fix:
#include <stdio.h>

#define SHOW printf("%g\n", own_scale)

static double scale = 0.25, u[50][50], v[50][50];

static double scaled(double x) { return scale * x; }

int main(void)
{
  double own_scale = 0.5;

  for (int t = 0; t < 10; t++) {
    for (int i = 1; i < 49; i++)
      for (int j = 1; j < 49; j++)
        v[i][j] = own_scale * scaled(u[i-1][j] + u[i+1][j]);
    for (int i = 1; i < 49; i++)
      for (int j = 1; j < 49; j++)
        u[i][j] = v[i][j];
  }
  SHOW;
  return 0;
}
*/
