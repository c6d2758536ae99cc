/* guardedbelow2d: A subscript that may be negative where a condition on data does not hold.
 * hexcc-test: expect=HX0105
 */
void guardedbelow2d(int n, const int *m, const double *b, double *c)
{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (m[i * n + j]) // here
        c[i * n + j] = b[(i - 1) * n + j];
#pragma endscop
}
