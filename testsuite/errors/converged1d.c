/* converged1d: Steps until nothing changes any more.
 * hexcc-test: expect=HX0105
 */
double fabs(double x);
double fmax(double x, double y);

int converged1d(int N, int T, double A[N], double B[N], double tol)
{
  double err = 1;
  int it = 0;

#pragma scop
  while (err > tol && it < T) {  // here
    err = 0;
    for (int i = 1; i < N - 1; i++) {
      B[i] = 0.5 * (A[i-1] + A[i+1]);
      err = fmax(err, fabs(B[i] - A[i]));
    }
    for (int i = 1; i < N - 1; i++)
      A[i] = B[i];
    it++;
  }
#pragma endscop
  return it;
}

/* fix:
double fabs(double x);
double fmax(double x, double y);

int converged1d(int N, int T, double A[N], double B[N], double tol)
{
  double err = 1;
  int it = 0;

  while (err > tol && it < T) {
#pragma scop
    for (int t = 0; t < 20; t++) {
      for (int i = 1; i < N - 1; i++)
        B[i] = 0.5 * (A[i-1] + A[i+1]);
      for (int i = 1; i < N - 1; i++)
        A[i] = B[i];
    }
#pragma endscop
    err = 0;
    for (int i = 1; i < N - 1; i++)
      err = fmax(err, fabs(0.5 * (A[i-1] + A[i+1]) - A[i]));
    it += 20;
  }
  return it;
}
*/
