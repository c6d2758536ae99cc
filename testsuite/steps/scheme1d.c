/* scheme1d: A ring with ghost cells, swept by one of three schemes that is chosen before the time loop.
 * hexcc-test: args=N,T,scheme run=5,3,0;9,4,1;16,7,2;157,3,1;300,40,0
 */
#include <stdio.h>
#include <stdlib.h>

enum { LEFT, CENTRED, RIGHT };

int main(int argc, char **argv)
{
  int N = argc > 1 ? atoi(argv[1]) : 100;
  int T = argc > 2 ? atoi(argv[2]) : 5;
  int scheme = CENTRED;
  double *u = malloc((N + 2) * sizeof(double)), *v = malloc((N + 2) * sizeof(double)), sum = 0;

  if (argc > 3)
    scheme = atoi(argv[3]);
  for (int i = 0; i <= N + 1; i++)
    u[i] = v[i] = (i * 37) % 101 / 101.0;
  for (int t = 0; t < T; t++) {
    u[0] = u[N];
    u[N + 1] = u[1];
    if (scheme == LEFT) {
      for (int i = 1; i <= N; i++)
        v[i] = u[i] - 0.5 * (u[i] - u[i - 1]);
    } else if (scheme == CENTRED) {
      for (int i = 1; i <= N; i++)
        v[i] = u[i] + 0.25 * (u[i + 1] - 2 * u[i] + u[i - 1]);
    } else {
      for (int i = 1; i <= N; i++)
        v[i] = u[i] - 0.5 * (u[i] - u[i + 1]);
    }
    for (int i = 1; i <= N; i++)
      u[i] = v[i];
  }
  for (int i = 0; i <= N + 1; i++)
    sum += u[i] * (i % 5 + 1);
  printf("%.12f\n", sum);
  free(u);
  free(v);
  return 0;
}
